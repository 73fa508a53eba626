/** Phonemes, stress, length and tone of the model's vocabulary, and the space between words. No punctuation. */
export const PHONEMES: ReadonlySet<string> = new Set(
  [
    ' ',
    'AIOQSTWY',
    'abcdefhijklmnopqrstuvwxyz',
    'æçðøŋœ',
    'ɐɑɒɔɕɖəɚɛɜɟɡɣɤɥɨɪɯɰɲɳɴɸɹɻɽɾ',
    'ʁʂʃʈʊʋʌʎʒʔʝʣʤʥʦʧʨ',
    'βθχᵊᵝᵻꭧ',
    'ˈˌːʰʲ\u0303',
    '→↗↘↓',
  ].flatMap((symbols) => [...symbols]),
)
