const INITIALS: ReadonlyMap<string, string> = table(
  'b p|p pʰ|m m|f f|d t|t tʰ|n n|l l|g k|k kʰ|h x|j ʨ|q ʨʰ|x ɕ|zh ꭧ|ch ꭧʰ|sh ʂ|r ɻ|z ʦ|c ʦʰ|s s',
)
/** `0` is the place of the tone, behind the nucleus. */
const FINALS: ReadonlyMap<string, string> = table(
  'a a0|ai ai0|an a0n|ang a0ŋ|ao au0|e ɤ0|ei ei0|en ə0n|eng ə0ŋ|er ɚ0|o o0|ou ou0|ong ʊ0ŋ|' +
    'i i0|ia ja0|ian jɛ0n|iang ja0ŋ|iao jau0|ie je0|io jo0|in i0n|ing i0ŋ|iong jʊ0ŋ|iu jou0|' +
    'u u0|ua wa0|uai wai0|uan wa0n|uang wa0ŋ|ui wei0|un wə0n|uo wo0|ueng wə0ŋ|' +
    'ü y0|üe ɥe0|üan ɥɛ0n|ün y0n|ê ɛ0|-i ɨ0',
)
/** Syllables without an initial are spelt with y and w. */
const SPELT: ReadonlyMap<string, string> = table(
  'yi i|ya ia|yan ian|yang iang|yao iao|ye ie|yo io|yin in|ying ing|yong iong|you iu|wu u|wa ua|wai uai|wan uan|' +
    'wang uang|wei ui|wen un|wo uo|weng ueng|yu ü|yue üe|yuan üan|yun ün|r er',
)
const TONES = ['', '→', '↗', '↓', '↘', '']

/** A syllable in pinyin with its tone's number behind it ("zhong1", "lü4"; v is ü) in the model's symbols. */
export function pinyinPhonemes(syllable: string): string {
  const [, letters = '', tone = '5'] =
    /^([a-zêü]+)(\d?)$/.exec(syllable.replaceAll('u:', 'ü').replaceAll('v', 'ü')) ?? []
  const [, initial = ''] = /^(zh|ch|sh|[bpmfdtnlgkhjqxrzcs])(?=.)/.exec(letters) ?? []
  const final = FINALS.get(finalOf(initial, letters.slice(initial.length)))
  if (final === undefined) return ''
  return (INITIALS.get(initial) ?? '') + final.replace('0', TONES[Number(tone)] ?? '')
}

function finalOf(initial: string, letters: string): string {
  if (initial === '') return SPELT.get(letters) ?? letters
  if (/^[jqx]$/.test(initial)) return letters.replace(/^u/, 'ü')
  return letters === 'i' && /^(?:zh|ch|sh|[rzcs])$/.test(initial) ? '-i' : letters
}

function table(entries: string): ReadonlyMap<string, string> {
  return new Map(
    entries.split('|').map((entry) => {
      const [written = '', value = ''] = entry.split(' ')
      return [written, value] as const
    }),
  )
}
