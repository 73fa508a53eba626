import type { VoiceSpace } from '../models/voices/voice-space.ts'
import type { VoicePrint } from '../src/speech/task-protocol.ts'
import { dot } from './dot-product.ts'

/**
 * Share of what is usual in people of a kind that is taken off a voice. Much less, and the voice that is found is mistaken for others
 * of its kind; with all of it, and beyond, it becomes less like the person.
 */
const EXAGGERATION = 0.6

/**
 * What to search for so that a voice is known again among others: its caricature, which has less of what all low or all high voices
 * share, and thus more of its own. Of length one like every embedding.
 */
export function caricature({ people }: Pick<VoiceSpace, 'people'>, print: VoicePrint): VoicePrint {
  const { embedding } = print
  const usual = people.reduce((a, b) => (dot(b, embedding) > dot(a, embedding) ? b : a))
  const own = embedding.map((value, at) => value - EXAGGERATION * usual[at]!)
  const length = Math.hypot(...own)
  return { ...print, embedding: own.map((value) => value / length) }
}
