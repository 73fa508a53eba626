import { describe, expect, test } from 'vitest'
import { findSentences } from '../../src/speech/sentences.ts'
import type { Pronunciation } from '../../src/speech/task-protocol.ts'

/** Sentences as text; a paragraph's last one ends in ¶. */
function sentencesOf(text: string, pronunciation: Pronunciation = 'en-us'): string[] {
  return findSentences(text, pronunciation).map(
    ({ start, end, pause }) => text.slice(start, end) + (pause === 'paragraph' ? '¶' : ''),
  )
}

describe('sentences', () => {
  test.each([
    ['end at . ! ? and …', 'One. Two! Three? Four… Five', ['One.', 'Two!', 'Three?', 'Four…', 'Five¶']],
    ['keep the quotes and brackets that close them', '"Go." (Now.) ‘Yes.’', ['"Go."', '(Now.)', '‘Yes.’¶']],
    ['do not end after a quoted exclamation that goes on', '"Stop!" he said. Then', ['"Stop!" he said.', 'Then¶']],
    ['do not end at an ellipsis that goes on', 'Well... maybe. Yes', ['Well... maybe.', 'Yes¶']],
    ['do not end at titles', 'Dr. Smith met Mrs. Jones. Both left.', ['Dr. Smith met Mrs. Jones.', 'Both left.¶']],
    ['do not end at initials', 'J. R. R. Tolkien wrote. I read', ['J. R. R. Tolkien wrote.', 'I read¶']],
    ['do not end at e.g. and i.e.', 'Use e.g. Rust, i.e. This. End', ['Use e.g. Rust, i.e. This.', 'End¶']],
    ['end at etc. only before a capital', 'Cats etc. and dogs etc. Then', ['Cats etc. and dogs etc.', 'Then¶']],
    ['do not end at no. before a figure', 'See no. 5 there. No. It', ['See no. 5 there.', 'No.', 'It¶']],
    ['do not end in acronyms before a name', 'The U.S. Army. Go', ['The U.S. Army.', 'Go¶']],
    ['end after an acronym before a word that opens one', 'In the U.S. They left', ['In the U.S.', 'They left¶']],
    ['end after p.m. before a capital', 'At 5 p.m. He left', ['At 5 p.m.', 'He left¶']],
    ['do not end in decimals, addresses or times', 'Pi is 3.14. See a.b@c.de', ['Pi is 3.14.', 'See a.b@c.de¶']],
    ['do not end in an address', 'See https://a.b/c.d?e=f. Then', ['See https://a.b/c.d?e=f.', 'Then¶']],
    ['do not end at the number of a list item', '1. First\n2. Second', ['1. First', '2. Second¶']],
    [
      'end without capitals where the text has none',
      'one here. two there. e.g. three',
      ['one here.', 'two there.', 'e.g. three¶'],
    ],
    ['keep emoji', 'Great! 😀 Go. 😀', ['Great!', '😀 Go.', '😀¶']],
    ['end at CJK marks without a space', '好。吗？是！', ['好。', '吗？', '是！¶']],
  ])('%s', (_, text, sentences) => {
    expect(sentencesOf(text)).toEqual(sentences)
  })

  test.each<[Pronunciation, string, string[]]>([
    ['es', '¿Qué tal, Sr. López? ¡Bien! Voy.', ['¿Qué tal, Sr. López?', '¡Bien!', 'Voy.¶']],
    ['fr', 'Voici M. Dupont. « Ça va ? » Oui.', ['Voici M. Dupont.', '« Ça va ? »', 'Oui.¶']],
    ['it', 'Il Sig. Rossi è qui. Bene.', ['Il Sig. Rossi è qui.', 'Bene.¶']],
    ['pt-br', 'A Sra. Ana saiu. Sim.', ['A Sra. Ana saiu.', 'Sim.¶']],
    ['hi', 'डॉ. शर्मा आए। वे बैठे॥ ठीक', ['डॉ. शर्मा आए।', 'वे बैठे॥', 'ठीक¶']],
    [
      'de',
      'Am 15. März kam Dr. Weber, z. B. am 3. Er blieb.',
      ['Am 15. März kam Dr. Weber, z. B. am 3.', 'Er blieb.¶'],
    ],
    ['ru', 'Это ул. Ленина, т. 5. Он ушёл.', ['Это ул. Ленина, т. 5.', 'Он ушёл.¶']],
    ['pl', 'To ul. Prosta. On jest tu.', ['To ul. Prosta.', 'On jest tu.¶']],
    ['ja', '「行こう。」と言った。本当？はい', ['「行こう。」と言った。', '本当？', 'はい¶']],
    ['zh', '你好！“再见。”他说。', ['你好！', '“再见。”', '他说。¶']],
  ])('know the abbreviations and marks of %s', (pronunciation, text, sentences) => {
    expect(sentencesOf(text, pronunciation)).toEqual(sentences)
  })
})

describe('lines', () => {
  const wrapped = 'This line of prose is as long as lines are when an editor has wrapped\nIt at a column.'

  test.each([
    ['blank lines end paragraphs', 'One\n\nTwo\r\n \r\nThree', ['One¶', 'Two¶', 'Three¶']],
    ['a short line ends a sentence', 'A heading\nThe text begins.', ['A heading', 'The text begins.¶']],
    ['a long line goes on in the next', wrapped, [`${wrapped}¶`]],
    ['a line that ends in a comma goes on', 'Roses are red,\nViolets are blue', ['Roses are red,\nViolets are blue¶']],
    ['a line goes on in lower case', 'Shall I compare thee\nto a day', ['Shall I compare thee\nto a day¶']],
    ['a list item ends a sentence', 'Buy:\n- milk\n- eggs', ['Buy:', '- milk', '- eggs¶']],
    ['white space around lines is left out', '  One  \n\n\n  Two  ', ['One¶', 'Two¶']],
    ['a full stop before a line break ends one sentence', 'One.\nTwo.', ['One.', 'Two.¶']],
    ['white space alone has none', ' \n\t\n ', []],
  ])('%s', (_, text, sentences) => {
    expect(sentencesOf(text)).toEqual(sentences)
  })
})
