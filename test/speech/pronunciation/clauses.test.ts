import { expect, test } from 'vitest'
import { cutClauses } from '../../../src/speech/pronunciation/clauses.ts'

/** Clauses as text with the marks around them, parted by bars. */
function marked(sentence: string): string {
  return cutClauses(sentence)
    .map(({ opens, text, marks }) => `${opens}[${text}]${marks}`)
    .join(' ')
}

test.each([
  ['marks are cut from words', 'Well, yes; no: go.', '[Well], [yes]; [no]: [go].'],
  ['marks inside words stay', "It's 3.14 at 16:9, don't", "[It's 3.14 at 16:9], [don't]"],
  ['a full stop before the end is an abbreviation', 'J. Smith left.', '[J. Smith left].'],
  ['also before a comma', 'Smith Jr., yes.', '[Smith Jr], [yes].'],
  ['quotes and brackets stand where they open and close', 'He said "go", (or not).', '[He said] “[go]”, ([or not]).'],
  ['dashes part words with or without spaces', 'a—b — c', '[a]— [b]— [c]'],
  ['marks after the end are kept', 'He said “go.”', '[He said] “[go].”'],
  ['repeated marks are one', 'What??!! No!!!', '[What]?! [No]!'],
  ['a comma beside the mark of an end is left out', 'Go?, then…,', '[Go]? [then]…'],
  ['marks alone have no words', '!', '[]!'],
  ['nothing is nothing', '', ''],
])('%s', (_, sentence, clauses) => {
  expect(marked(sentence)).toBe(clauses)
})
