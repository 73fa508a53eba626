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

/** A word in Latin letters with the figures, addresses and marks that are part of it. */
export const LATIN_WORD = /[A-Za-zÀ-ɏ][\p{Script=Latin}\p{M}\d]*(?:[-'.@_/:+&][\p{Script=Latin}\d]+)*\+*/uy

/** A mark as it is spoken: none where it is no pause. */
export const PAUSE_MARK = /^[.,;:!?…—“”()]$/

function pairs(characters: string, mark: string): (readonly [string, string])[] {
  return Array.from(characters, (character) => [character, mark] as const)
}
