import { TracedText } from './traced-text.ts'

/**
 * Prepares raw text for reading: one kind of each quote, dash and digit, no markup, no emoji, nothing that isn't a letter
 * the front end can read, a figure, a spoken sign or punctuation. White space is single spaces, none at the edges.
 * Emoji are dropped, not named: a listener wants the message, and "face with tears of joy" isn't it.
 */
export function cleanText(text: string): string {
  return cleanTraced(TracedText.of(text)).text
}

/** The same, and remembers where each character was written. */
export function cleanTraced(text: TracedText): TracedText {
  return (
    text
      .replace(/\p{Cs}/gu, '')
      // Full-width, ligature and mathematical letters: the only compatibility forms whose plain letters mean the same.
      .replace(/[\uff01-\uff5e\ufb00-\ufb06\u{1d400}-\u{1d7ff}]+/gu, (letters = '') => letters.normalize('NFKC'))
      .replace(/[\0-\x7f]?\P{ASCII}+/gu, (letters = '') => letters.normalize('NFC'))
      .replace(/&(amp|lt|gt|quot|apos|nbsp|#39);/g, (_, name = '') => ENTITIES[name] ?? ' ')
      .replace(/<\/?[a-zA-Z][^<>]{0,200}>/g, ' ')
      .replace(/\s*(?:[-=]+>|[→⇒➜➔➡])\ufe0f?\s*/gu, ' — ')
      .replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g, toAsciiDigit)
      .replace(/\P{ASCII}/gu, (character = '') => PLAIN.get(character) ?? character)
      .replace(/[|।॥]/g, (mark) => (mark === '|' ? ',' : '.'))
      .replace(/\[([^\][]{1,200})\]\([^()\s]{1,500}\)/g, (_, words = '') => words)
      .replace(/[[\]{}]/g, (bracket) => (bracket === '[' || bracket === '{' ? '(' : ')'))
      .replace(/[*`]+|~{2,}|^\s*(?:#{1,6}|>|[-+•–—·▪◦‣])\s+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, ' ')
      .replace(/^(\d{1,3})[.)]\s/g, (_, number = '') => `${number}, `)
      .replace(/«\s*/g, '“')
      .replace(/\s*»/g, '”')
      .replace(/\.{3,}/g, '…')
      .replace(/(?<=\s)[-–]{1,3}(?=\s)|-{2,}|–(?=\s)|(?<=\s)–/g, '—')
      .replace(UNREADABLE, ' ')
      .replace(/([^\p{L}\p{N}\s.])\1{2,}/gu, (_, sign = '') => sign)
      .replace(/\s+/g, ' ')
      .replace(/ (?=[!?;:,.…)”]+(?:\s|$))/g, '')
      .trim()
  )
}

const LETTERS = ['Latin', 'Greek', 'Cyrillic', 'Devanagari'].map((script) => `\\p{Script=${script}}`).join('')
const SIGNS = '\\d\\s.,;:!?…—–“”"()\'%‰$£€¥₹₩₽₺₴₪₿¢§°º²³½¼¾⅓⅔⅕⅛⅜⅝⅞+=×÷±<>≤≥≠√∞≈~&@#/\\\\_^-'

/** Everything else is silent. Accents that have no letter with them go; Devanagari's vowel signs are marks, too. */
const UNREADABLE = new RegExp(`[^${LETTERS}${SIGNS}]|[¡¿\\\\^]|(?<!\\p{Script=Devanagari})\\p{M}`, 'gu')

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

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'" }

function pairs(characters: string, plain: string): (readonly [string, string])[] {
  return Array.from(characters, (character) => [character, plain] as const)
}

/** Decimal digits stand in tens that begin at a multiple of 16, or at 6 after one. */
function toAsciiDigit(digit = ''): string {
  const low = digit.charCodeAt(0) & 0xf
  return String(low >= 6 ? low - 6 : low)
}
