/** Words without punctuation between them, and the marks around them: eSpeak is given the words, the model the marks. */
export interface Clause {
  /** Marks that open before the words: “ or (. */
  readonly opens: string
  readonly text: string
  /** Marks that follow. */
  readonly marks: string
}

const OPENS = '"“('
/** A run of marks before white space or the end; an opening mark before a word; a dash between words. */
const MARKS = /[.,;:!?…—"“”()]+(?=\s|$)|["“(]+(?=\S)|—/g

/**
 * Cuts a normalised sentence at its punctuation. Marks inside a word ("3.14", "don't", "16:9") are no punctuation, and a
 * full stop is only where the sentence ends: before that it belongs to an abbreviation, and eSpeak knows it.
 */
export function cutClauses(sentence: string): Clause[] {
  const clauses: Clause[] = []
  let from = 0
  let opens = ''
  for (const { 0: run, index } of sentence.matchAll(MARKS)) {
    const end = index + run.length
    const isEnd = end === sentence.length
    if (run === '.' && !isEnd) continue
    const text = sentence.slice(from, index).trim()
    const isOpening = !isEnd && /\S/.test(sentence.charAt(end)) && !run.endsWith('—')
    if (isOpening) {
      if (text !== '') clauses.push({ opens, text, marks: '' })
      opens = (text === '' ? opens : '') + tidyOpening(run)
    } else {
      clauses.push({ opens, text, marks: tidyMarks(run, isEnd) })
      opens = ''
    }
    from = end
  }
  const text = sentence.slice(from).trim()
  if (text !== '') clauses.push({ opens, text, marks: '' })
  return clauses
}

function tidyOpening(run: string): string {
  return Array.from(run, (mark) => (mark === '"' ? '“' : mark))
    .filter((mark) => OPENS.includes(mark))
    .join('')
}

/** One mark of a kind, the weaker ones left out where a sentence ends; straight quotes here are closing ones. */
function tidyMarks(run: string, isEnd: boolean): string {
  const marks = [...new Set(run.replaceAll('"', '”').replace(/[(“]/g, ''))].filter((mark) => isEnd || mark !== '.')
  const isExclaimed = marks.some((mark) => mark === '!' || mark === '?')
  const isEnding = isExclaimed || marks.some((mark) => mark === '.' || mark === '…')
  return marks.filter((mark) => !(isEnding && /[,;:—]/.test(mark)) && !(isExclaimed && /[.…]/.test(mark))).join('')
}
