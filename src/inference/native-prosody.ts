import { STYLE_CLASSES, STYLE_WIDTH, TIMBRE_WIDTH } from '../speech/style-classes.ts'
import type { StyleRows } from '../speech/task-protocol.ts'
import type { Voice } from '../speech/voice.ts'
import { PRESET_VOICES, type PresetVoice } from '../speech/voices.ts'
import type { VoiceStyle } from './voice-styles.ts'

/** Mixtures of the model's voices have a prosody of English voices. */
const ENROLLED_LANGUAGE = 'en'
/** The clearest voices of each language, a low one and a high one where it has both. English every voice speaks well by itself. */
const NATIVE_MODELS = [
  ...['em_alex', 'ef_dora', 'ff_siwis', 'im_nicola', 'if_sara', 'pm_alex', 'pf_dora'],
  ...['hm_omega', 'hf_alpha', 'jm_kumo', 'jf_alpha', 'zm_yunjian', 'zf_xiaobei'],
]
const NATIVE_VOICES = PRESET_VOICES.filter(({ model }) => NATIVE_MODELS.includes(model))

/**
 * Of the voices that were made of a language, the one that is nearest in pitch; none where `voice` needs none, since it was made of it
 * itself, or no voice was.
 */
export function nativeVoice(language: string, voice: Voice, { hertz }: VoiceStyle): PresetVoice | undefined {
  if (language === (voice.model === null ? ENROLLED_LANGUAGE : voice.language)) return undefined
  const distance = (other: PresetVoice) => Math.abs(Math.log(other.hertz / hertz))
  return NATIVE_VOICES.filter((other) => other.language === language).reduce<PresetVoice | undefined>(
    (a, b) => (a && distance(a) <= distance(b) ? a : b),
    undefined,
  )
}

/**
 * A voice with the rhythm and melody of another, at its own pitch: a language that it was not made of is understood better so. What
 * stays is its timbre, and what windows are rendered with, which belongs to that.
 */
export function withProsodyOf(native: VoiceStyle, own: VoiceStyle): VoiceStyle {
  const rows: StyleRows = own.rows.slice()
  for (const styleClass of STYLE_CLASSES.keys()) {
    const [from, to] = [styleClass * STYLE_WIDTH + TIMBRE_WIDTH, (styleClass + 1) * STYLE_WIDTH]
    rows.set(native.rows.subarray(from, to), from)
  }
  return { ...own, rows, pitch: own.hertz / native.hertz }
}
