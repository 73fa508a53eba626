/** Consonants of the rows of the syllabary, by the first kana of each, in the model's symbols. */
const ROWS: readonly (readonly [consonant: string, kana: string])[] = [
  ['', 'アイウエオ'],
  ['k', 'カキクケコ'],
  ['ɡ', 'ガギグゲゴ'],
  ['s', 'サシスセソ'],
  ['ʣ', 'ザジズゼゾ'],
  ['t', 'タチツテト'],
  ['d', 'ダヂヅデド'],
  ['n', 'ナニヌネノ'],
  ['h', 'ハヒフヘホ'],
  ['b', 'バビブベボ'],
  ['p', 'パピプペポ'],
  ['m', 'マミムメモ'],
  ['ɾ', 'ラリルレロ'],
]
const VOWELS = ['a', 'i', 'ɯ', 'e', 'o']

/** Syllables with a consonant of their own, and those written with a small vowel. */
const SYLLABLES: ReadonlyMap<string, string> = new Map([
  ...ROWS.flatMap(([consonant, kana]) =>
    Array.from(kana, (syllable, column) => {
      const isPalatal = column === 1 && consonant !== ''
      return [syllable, `${consonant}${isPalatal ? 'ʲ' : ''}${VOWELS[column]}`] as const
    }),
  ),
  ...table(
    'シ ɕi|ス sɨ|ジ ʥi|ズ zɨ|チ ʨi|ツ ʦɨ|ヂ ʥi|ヅ zɨ|ニ ɲi|ヒ çi|フ ɸɯ|ヤ ja|ユ jɯ|ヨ jo|ワ βa|ヰ i|ヱ e|ヲ o|ヴ vɯ',
  ),
  ...table('ァ a|ィ i|ゥ ɯ|ェ e|ォ o|ャ ja|ュ jɯ|ョ jo|ヮ βa|ヵ ka|ヶ ka|ヷ va|ヸ vi|ヹ ve|ヺ vo'),
  ...table('ファ ɸa|フィ ɸi|フェ ɸe|フォ ɸo|ヴァ va|ヴィ vi|ヴェ ve|ヴォ vo|ティ ti|ディ di|トゥ tɯ|ドゥ dɯ|イェ je'),
  ...table(
    'ウィ βi|ウェ βe|ウォ βo|シェ ɕe|ジェ ʥe|チェ ʨe|ツァ ʦa|ツィ ʦi|ツェ ʦe|ツォ ʦo|クァ kβa|クィ kβi|クェ kβe|クォ kβo',
  ),
  ...table('グァ ɡβa|スィ si|ズィ zi|ヒェ çe|ニェ ɲe|キェ kʲe|テュ tʲɨ|デュ dʲɨ|フュ ɸʲɨ|ヴュ vʲɨ|ー ː|ッ ʔ'),
])

/** Vowels after a palatal consonant: キャ, シュ, チョ. */
const SMALL_Y: ReadonlyMap<string, string> = new Map([
  ['ャ', 'a'],
  ['ュ', 'ɨ'],
  ['ョ', 'o'],
])

/** The moraic nasal takes the place of articulation of what follows. */
const NASALS: readonly (readonly [nasal: string, before: RegExp])[] = [
  ['m', /^[mpb]/],
  ['ŋ', /^[kɡ]/],
  ['ɲ', /^[ɲʨʥ]/],
  ['n', /^[ntdɾzʣʦ]/],
]

/** A word in katakana as phonemes in the model's symbols. What is no kana is left out. */
export function kanaPhonemes(katakana: string): string {
  let phonemes = ''
  // From the end, because the nasal depends on what follows it.
  for (const syllable of syllablesOf(katakana).reverse()) {
    const following = phonemes
    const sound =
      syllable === 'ン' ? (NASALS.find(([, before]) => before.test(following))?.[0] ?? 'ɴ') : soundOf(syllable)
    phonemes = sound + phonemes
  }
  return phonemes
}

export function toKatakana(text: string): string {
  return text.replace(/[\u3041-\u3096\u309d\u309e]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60))
}

/** Kana with the small one after it, where the two are one syllable. */
function syllablesOf(katakana: string): string[] {
  const syllables: string[] = []
  for (const kana of katakana) {
    const before = syllables.at(-1)
    const joins = before !== undefined && (SYLLABLES.has(before + kana) || (SMALL_Y.has(kana) && isPalatal(before)))
    if (joins) syllables[syllables.length - 1] = before + kana
    else syllables.push(kana)
  }
  return syllables
}

function soundOf(syllable: string): string {
  const sound = SYLLABLES.get(syllable)
  if (sound !== undefined) return sound
  const vowel = SMALL_Y.get(syllable.charAt(1))
  return vowel === undefined ? '' : (SYLLABLES.get(syllable.charAt(0)) ?? '').replace(/i$/, vowel)
}

function isPalatal(syllable: string): boolean {
  return syllable.length === 1 && /.i$/.test(SYLLABLES.get(syllable) ?? '')
}

function table(entries: string): (readonly [string, string])[] {
  return entries.split('|').map((entry) => {
    const [kana = '', phonemes = ''] = entry.split(' ')
    return [kana, phonemes] as const
  })
}
