/**
 * Prepares raw text for reading: one kind of each quote, dash and digit, no markup, no emoji, nothing that isn't a letter
 * the front end can read, a figure, a spoken sign or punctuation. White space is single spaces, none at the edges.
 */
export function cleanText(text: string): string {
  return (
    text
      .replace(/\p{Cs}/gu, '')
      // Full-width, ligature and mathematical letters: the only compatibility forms whose plain letters mean the same.
      .replace(/[\uff01-\uff5e\ufb00-\ufb06\u{1d400}-\u{1d7ff}]+/gu, (letters) => letters.normalize('NFKC'))
      .normalize('NFC')
      .replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g, toAsciiDigit)
      .replace(/\P{ASCII}/gu, (character) => PLAIN.get(character) ?? character)
      .replace(/[|।॥]/g, (mark) => (mark === '|' ? ',' : '.'))
      .replace(/\[([^\][]{1,200})\]\([^()\s]{1,500}\)/g, '$1')
      .replace(/[[\]{}]/g, (bracket) => (bracket === '[' || bracket === '{' ? '(' : ')'))
      .replace(/[*`]+|~{2,}|^\s*(?:#{1,6}|>|[-+•–—·▪◦‣])\s+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, ' ')
      .replace(/^(\d{1,3})[.)]\s/, '$1, ')
      .replace(/«\s*/g, '“')
      .replace(/\s*»/g, '”')
      .replace(/\.{3,}/g, '…')
      .replace(/(?<=\s)[-–]{1,3}(?=\s)|-{2,}|–(?=\s)|(?<=\s)–/g, '—')
      .replace(UNREADABLE, ' ')
      .replace(/([^\p{L}\p{N}\s.])\1{2,}/gu, '$1')
      .replace(/\s+/g, ' ')
      .replace(/ (?=[!?;:,.…)”]+(?:\s|$))/g, '')
      .trim()
  )
}

/** Everything else is silent. Accents that have no letter with them go; Devanagari's vowel signs are marks, too. */
const UNREADABLE = new RegExp(
  [
    '[^\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Devanagari}\\d\\s.,;:!?…—–“”"()\'%$£€¥₹°º²³½¼¾⅓⅔+=×÷±≈~&@#/\\\\_^-]',
    '[¡¿\\\\^]',
    '(?<!\\p{Script=Devanagari})\\p{M}',
  ].join('|'),
  'gu',
)

const PLAIN: ReadonlyMap<string, string> = new Map([
  ...pairs('‘’‚‛ʼ′', "'"),
  ...pairs('„‟″', '"'),
  ...pairs('‐‑‒−', '-'),
  ...pairs('―', '—'),
  ...pairs('،、', ', '),
  ...pairs('。', '. '),
  ...pairs('؛', '; '),
  ...pairs('؟', '? '),
  ...pairs('‥', '…'),
  ...pairs('⁄∕', '/'),
  ...pairs('№', '#'),
  ...pairs('∼', '~'),
  ...pairs('\u200b\u200c\u200d\u2060\ufeff\u00ad', ''),
])

function pairs(characters: string, plain: string): (readonly [string, string])[] {
  return Array.from(characters, (character) => [character, plain] as const)
}

/** Decimal digits stand in tens that begin at a multiple of 16, or at 6 after one. */
function toAsciiDigit(digit: string): string {
  const low = digit.charCodeAt(0) & 0xf
  return String(low >= 6 ? low - 6 : low)
}
