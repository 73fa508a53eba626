/** What a caller may ask to be heard: one language, one of two, or any. */
export interface SpeechMode {
  readonly code: string
  /** In English. */
  readonly name: string
  /** Codes of the single-language modes among which every segment decides; one: nothing to decide. */
  readonly languages: readonly string[]
}

/** The mode of a code or English name, without regard to case; undefined where there is none. */
export function findSpeechMode(codeOrName: string): SpeechMode | undefined {
  return BY_NAME.get(codeOrName.trim().toLowerCase())
}

const SINGLE: Readonly<Record<string, string>> = {
  zh: 'Chinese',
  en: 'English',
  uk: 'Ukrainian',
  ar: 'Arabic',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  pt: 'Portuguese',
  id: 'Indonesian',
  it: 'Italian',
  ko: 'Korean',
  ru: 'Russian',
  th: 'Thai',
  vi: 'Vietnamese',
  ja: 'Japanese',
  tr: 'Turkish',
  hi: 'Hindi',
  ms: 'Malay',
  nl: 'Dutch',
  sv: 'Swedish',
  da: 'Danish',
  fi: 'Finnish',
  pl: 'Polish',
  cs: 'Czech',
  fil: 'Filipino',
  fa: 'Persian',
  el: 'Greek',
  hu: 'Hungarian',
  mk: 'Macedonian',
  ro: 'Romanian',
}
const BILINGUAL: readonly SpeechMode[] = [
  { code: 'zh-en', name: 'Chinese-English', languages: ['zh', 'en'] },
  { code: 'es-en', name: 'Spanish-English', languages: ['es', 'en'] },
  { code: 'hi-en', name: 'Hindi-English', languages: ['hi', 'en'] },
]

export const AUTO_MODE: SpeechMode = { code: 'auto', name: 'auto', languages: Object.keys(SINGLE) }

export const SPEECH_MODES: readonly SpeechMode[] = [
  AUTO_MODE,
  ...Object.entries(SINGLE).map(([code, name]) => ({ code, name, languages: [code] })),
  ...BILINGUAL,
]

const BY_NAME = new Map(
  SPEECH_MODES.flatMap((mode) => [
    [mode.code, mode],
    [mode.name.toLowerCase(), mode],
  ]),
)
