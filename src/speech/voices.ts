import type { Voice, VoiceDirectory } from './voice.ts'

/** One of the model's own voices. */
export interface PresetVoice extends Voice {
  readonly model: string
  /** Median pitch. */
  readonly hertz: number
}

/**
 * The model's own voices, and the median pitch in hertz that each has in English. A model name says all else there is to know:
 * `bf_emma` is British English (b), female (f), Emma. Sorted by language, then gender, then name, as people are shown them.
 */
const MODEL_VOICES = {
  af_alloy: 141,
  af_aoede: 176,
  af_bella: 190,
  af_heart: 187,
  af_jessica: 209,
  af_kore: 146,
  af_nicole: 149,
  af_nova: 157,
  af_river: 179,
  af_sarah: 188,
  af_sky: 157,
  am_adam: 117,
  am_echo: 104,
  am_eric: 156,
  am_fenrir: 132,
  am_liam: 123,
  am_michael: 111,
  am_onyx: 89,
  am_puck: 116,
  am_santa: 149,
  bf_alice: 217,
  bf_emma: 180,
  bf_isabella: 197,
  bf_lily: 172,
  bm_daniel: 124,
  bm_fable: 111,
  bm_george: 140,
  bm_lewis: 92,
  ef_dora: 167,
  em_alex: 122,
  em_santa: 121,
  ff_siwis: 203,
  hf_alpha: 215,
  hf_beta: 186,
  hm_omega: 126,
  hm_psi: 133,
  if_sara: 221,
  im_nicola: 98,
  jf_alpha: 262,
  jf_gongitsune: 227,
  jf_nezumi: 236,
  jf_tebukuro: 329,
  jm_kumo: 101,
  pf_dora: 171,
  pm_alex: 133,
  pm_santa: 135,
  zf_xiaobei: 243,
  zf_xiaoni: 226,
  zf_xiaoxiao: 250,
  zf_xiaoyi: 306,
  zm_yunjian: 111,
  zm_yunxi: 159,
  zm_yunxia: 295,
  zm_yunyang: 97,
} as const

/** Catalog code of the language behind the first letter of a model name. */
const LANGUAGES: Readonly<Record<string, string>> = {
  a: 'en',
  b: 'en',
  e: 'es',
  f: 'fr',
  h: 'hi',
  i: 'it',
  j: 'ja',
  p: 'pt',
  z: 'zh',
}

export const PRESET_VOICES: readonly PresetVoice[] = Object.entries(MODEL_VOICES).map(presetVoice)

/** The voice of a key made without saying which. */
export const DEFAULT_VOICE_ID = 'preset_af_heart'

const byId = new Map(PRESET_VOICES.map((voice) => [voice.id, voice]))

export const presetVoices = { find: (voiceId: string) => byId.get(voiceId) } satisfies VoiceDirectory

function presetVoice([model, hertz]: readonly [string, number]): PresetVoice {
  const language = LANGUAGES[model.charAt(0)]
  if (language === undefined) throw new Error(`No language is known for voice ${model}`)
  const name = model.slice(3)
  return {
    id: `preset_${model}`,
    model,
    hertz,
    name: name.charAt(0).toUpperCase() + name.slice(1),
    accountId: null,
    language,
    british: model.startsWith('b'),
    gender: model.charAt(1) === 'f' ? 'female' : 'male',
  }
}
