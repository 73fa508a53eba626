import type { Voice, VoiceDirectory } from './voice.ts'
import { presetVoices } from './voices.ts'

/** What is kept of a voice that an account has enrolled, as far as speaking is concerned. */
export interface EnrolledVoiceRecord {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly gender: Voice['gender']
}

/** The model's own voices and those that accounts have enrolled, as they are at each call. */
export function allVoices(enrolled: { voice(voiceId: string): EnrolledVoiceRecord | undefined }): VoiceDirectory {
  return {
    find(voiceId) {
      const preset = presetVoices.find(voiceId)
      if (preset !== undefined) return preset
      const record = enrolled.voice(voiceId)
      return record && enrolledVoice(record)
    },
  }
}

/** Nobody says what language a recording is in: the voice is taken for an American one where a text does not tell. */
export function enrolledVoice({ id, accountId, name, gender }: EnrolledVoiceRecord): Voice {
  return { id, model: null, name, accountId, language: 'en', british: false, gender }
}
