/** Marks of Chinese and Japanese texts, and the ones the model knows. A space parts words. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ...pairs('。｡॥।', '.'),
  // The space keeps a comma between two numbers from grouping the figures of one.
  ...pairs('、､،，', ', '),
  ...pairs('「『《〈【〔〖«„', '“'),
  ...pairs('」』》〉】〕〗»', '”'),
  ...pairs('・·‧•', ' '),
  ...pairs('‘’′', "'"),
  ...pairs('〜～∼', '~'),
  ...pairs('―─—–', '—'),
  ...pairs('‐‑‒−', '-'),
])

/** What is read or said as a sign; everything else is silent. */
const UNREADABLE =
  /[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Latin}\p{M}ー々〆〇\d\s.,;:!?…—“”"()'%$£€¥°+=×÷~&@#/_-]/gu

/**
 * Prepares a Chinese or Japanese text for reading: one width of each letter and figure, one kind of each mark, nothing that
 * is not read. White space is single spaces, and there is none between two characters that are written without.
 */
export function cleanEastAsianText(text: string): string {
  return text
    .replace(/\p{Cs}/gu, '')
    .replace(/[…‥⋯]+/g, '⋯')
    .replace(/./gu, (character) => MARKS.get(character) ?? character)
    .normalize('NFKC')
    .replace(/[⋯]+|\.{3,}/g, '…')
    .replace(/--+|—+/g, '—')
    .replace(/\[([^\][]{1,200})\]\([^()\s]{1,500}\)/g, '$1')
    .replace(/[[{]/g, '(')
    .replace(/[\]}]/g, ')')
    .replace(/(?<=\S)"(?=\s|$|[^\p{L}\p{N}])/gu, '”')
    .replace(/"/g, '“')
    .replace(/^\s*(?:#{1,6}|[-+])\s+|[*_`]+/g, ' ')
    .replace(UNREADABLE, ' ')
    .replace(/\s+/g, ' ')
    .replace(
      /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]) (?=[\p{Script=Han}\p{Script=Hiragana}])/gu,
      '',
    )
    .trim()
}

/** A word in Latin letters with the figures and marks that are part of it, or an address. */
export const LATIN_WORD =
  /[A-Za-z]+:\/\/[!-~]+|[A-Za-zÀ-ɏ][\p{Script=Latin}\p{M}\d]*(?:[-'.@_/:+&][\p{Script=Latin}\d]+)*\+*/uy

/** A mark as it is spoken: none where it is no pause. */
export const PAUSE_MARK = /^[.,;:!?…—“”()]$/

/** Addresses and names with marks in them: their figures are no numbers of the text. */
const NAMES = /([A-Za-z]+:\/\/[!-~]+|(?<![A-Za-z\d.])[A-Za-z][A-Za-z\d]*(?:[-.@_/:][A-Za-z\d]+)+)/

/** Something that is written otherwise than it is said. */
export type Rewriting = readonly [pattern: RegExp, said: string | ((...groups: string[]) => string)]

/** Applies rewritings in their order, to everything but addresses and the like. */
export function rewrite(text: string, rewritings: readonly Rewriting[]): string {
  return text
    .split(NAMES)
    .map((piece, index) => (index % 2 === 1 ? piece : rewritings.reduce(applied, piece)))
    .join('')
}

function applied(text: string, [pattern, said]: Rewriting): string {
  return typeof said === 'string' ? text.replace(pattern, said) : text.replace(pattern, said)
}

function pairs(characters: string, mark: string): (readonly [string, string])[] {
  return Array.from(characters, (character) => [character, mark] as const)
}
