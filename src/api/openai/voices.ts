import type { Voice } from '../../speech/voice.ts'
import type { Caller } from '../authenticate.ts'
import type { Services } from '../services.ts'
import { resolveVoice } from '../voice-access.ts'

/** OpenAI's voices, and those of the model that come nearest: its namesake where there is one. */
export const OPENAI_VOICES: Readonly<Record<string, string>> = {
  alloy: 'preset_af_alloy',
  ash: 'preset_am_michael',
  ballad: 'preset_bm_george',
  cedar: 'preset_am_fenrir',
  coral: 'preset_af_heart',
  echo: 'preset_am_echo',
  fable: 'preset_bm_fable',
  marin: 'preset_af_aoede',
  nova: 'preset_af_nova',
  onyx: 'preset_am_onyx',
  sage: 'preset_af_sarah',
  shimmer: 'preset_af_bella',
  verse: 'preset_am_puck',
}

/**
 * The voice of a request: an id with or without `preset_`, or one of OpenAI's names. With a voice key those names mean the voice
 * that it is bound to, because clients can't leave the field out. Rejects as `resolveVoice` does.
 */
export async function resolveOpenAiVoice(
  services: Services,
  caller: Caller,
  requested: string | undefined,
): Promise<Voice> {
  return resolveVoice(services, caller, voiceIdOf(services, caller, requested))
}

function voiceIdOf({ voices }: Pick<Services, 'voices'>, { key }: Caller, requested: string | undefined) {
  if (requested === undefined) return undefined
  if (Object.hasOwn(OPENAI_VOICES, requested)) return key.kind === 'voice' ? undefined : OPENAI_VOICES[requested]
  const preset = `preset_${requested}`
  return voices.find(requested) === undefined && voices.find(preset) !== undefined ? preset : requested
}
