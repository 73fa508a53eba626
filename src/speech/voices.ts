import type { Voice, VoiceDirectory } from './voice.ts'

/** One of the model's own voices. */
export interface PresetVoice extends Voice {
  readonly model: string
}

/**
 * The model's own voices. A model name says all there is to know: `bf_emma` is British English (b), female (f), Emma.
 * Sorted by language, then gender, then name, as people are shown them.
 */
const MODEL_NAMES = [
  ...['af_alloy', 'af_aoede', 'af_bella', 'af_heart', 'af_jessica', 'af_kore', 'af_nicole', 'af_nova', 'af_river'],
  ...['af_sarah', 'af_sky', 'am_adam', 'am_echo', 'am_eric', 'am_fenrir', 'am_liam', 'am_michael', 'am_onyx'],
  ...['am_puck', 'am_santa', 'bf_alice', 'bf_emma', 'bf_isabella', 'bf_lily', 'bm_daniel', 'bm_fable', 'bm_george'],
  ...['bm_lewis', 'ef_dora', 'em_alex', 'em_santa', 'ff_siwis', 'hf_alpha', 'hf_beta', 'hm_omega', 'hm_psi', 'if_sara'],
  ...[
    'im_nicola',
    'jf_alpha',
    'jf_gongitsune',
    'jf_nezumi',
    'jf_tebukuro',
    'jm_kumo',
    'pf_dora',
    'pm_alex',
    'pm_santa',
  ],
  ...['zf_xiaobei', 'zf_xiaoni', 'zf_xiaoxiao', 'zf_xiaoyi', 'zm_yunjian', 'zm_yunxi', 'zm_yunxia', 'zm_yunyang'],
] as const

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

export const PRESET_VOICES: readonly PresetVoice[] = MODEL_NAMES.map(presetVoice)

/** The voice of a key made without saying which. */
export const DEFAULT_VOICE_ID = 'preset_af_heart'

const byId = new Map(PRESET_VOICES.map((voice) => [voice.id, voice]))

export const presetVoices = { find: (voiceId: string) => byId.get(voiceId) } satisfies VoiceDirectory

function presetVoice(model: string): PresetVoice {
  const language = LANGUAGES[model.charAt(0)]
  if (language === undefined) throw new Error(`No language is known for voice ${model}`)
  const name = model.slice(3)
  return {
    id: `preset_${model}`,
    model,
    name: name.charAt(0).toUpperCase() + name.slice(1),
    accountId: null,
    language,
    british: model.startsWith('b'),
    gender: model.charAt(1) === 'f' ? 'female' : 'male',
  }
}
