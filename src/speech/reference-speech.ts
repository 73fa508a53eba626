import { DETECTION_WINDOW_SAMPLES } from './detection.ts'
import { LISTENING_SAMPLE_RATE } from './recognition.ts'
import { UnfitReference } from './voice-fitting.ts'

export const REFERENCE_SECONDS_MIN = 1
/** Of speech, in all: less tells too little of a voice. */
export const SPEECH_SECONDS_MIN = 1
/** What is used of a clip, from its start; more tells nothing new. */
export const SPEECH_SECONDS_MAX = 30
/** Quieter speech is mostly the noise of its microphone, in dB of full scale. */
export const SPEECH_LEVEL_DB_MIN = -55
/** Samples at full scale count as clipped; of a recording that is only loud there are hardly any. */
const CLIPPED_FROM = 0.99
export const CLIPPED_SHARE_MAX = 0.01
/** How much louder speech must be than what is between it. */
export const SPEECH_OVER_NOISE_DB_MIN = 6

/** A window holds speech from here on, and none below the other; those between count for neither. */
const SPEECH_PROBABILITY = 0.5
const NOISE_PROBABILITY = 0.1
/** Kept on both sides of speech: words begin and end more quietly than they are found. */
const MARGIN_WINDOWS = 3
/** Less noise than this, a second and a half, has no level worth to be compared. */
const NOISE_WINDOWS_MIN = 8
const WINDOW_SECONDS = DETECTION_WINDOW_SAMPLES / LISTENING_SAMPLE_RATE

/**
 * The speech in a reference clip, one stretch after another, at most `SPEECH_SECONDS_MAX`, in a fresh array. `probabilities`: of
 * speech, in each whole window of `samples`. Throws `UnfitReference` where a voice can't be learnt from the clip.
 */
export function referenceSpeech(samples: Float32Array, probabilities: Float32Array): Float32Array {
  const windows = Array.from(probabilities, (probability, index) => {
    const from = index * DETECTION_WINDOW_SAMPLES
    const window = samples.subarray(from, from + DETECTION_WINDOW_SAMPLES)
    return { probability, power: meanPower(window) }
  })
  const speech = windows.filter(({ probability }) => probability >= SPEECH_PROBABILITY)
  if (speech.length * WINDOW_SECONDS < SPEECH_SECONDS_MIN) {
    throw new UnfitReference('min_speech', `must hold at least ${SPEECH_SECONDS_MIN} second of speech`)
  }
  const speechDb = decibels(mean(speech.map(({ power }) => power)))
  if (speechDb < SPEECH_LEVEL_DB_MIN) {
    throw new UnfitReference('min_level', 'is too quiet: record closer to the microphone')
  }
  if (clippedShare(samples) > CLIPPED_SHARE_MAX) {
    throw new UnfitReference('not_clipped', 'is distorted: record at a lower level')
  }
  const noise = windows.filter(({ probability }) => probability < NOISE_PROBABILITY)
  const noiseDb =
    noise.length < NOISE_WINDOWS_MIN ? Number.NEGATIVE_INFINITY : decibels(mean(noise.map(({ power }) => power)))
  if (speechDb - noiseDb < SPEECH_OVER_NOISE_DB_MIN) {
    throw new UnfitReference('max_noise', 'holds as much noise as speech: record in a quieter place')
  }
  return gathered(samples, probabilities)
}

/** Throws `UnfitReference` where the clip is too short to look for speech in it. */
export function checkReferenceLength(samples: Float32Array): void {
  if (samples.length >= REFERENCE_SECONDS_MIN * LISTENING_SAMPLE_RATE) return
  throw new UnfitReference('min_duration', `must last at least ${REFERENCE_SECONDS_MIN} second`)
}

function gathered(samples: Float32Array, probabilities: Float32Array): Float32Array {
  const kept = [...probabilities.keys()].filter((index) => {
    const near = probabilities.subarray(Math.max(0, index - MARGIN_WINDOWS), index + MARGIN_WINDOWS + 1)
    return near.some((probability) => probability >= SPEECH_PROBABILITY)
  })
  const used = kept.slice(0, Math.floor(SPEECH_SECONDS_MAX / WINDOW_SECONDS))
  const speech = new Float32Array(used.length * DETECTION_WINDOW_SAMPLES)
  for (const [to, window] of used.entries()) {
    const from = window * DETECTION_WINDOW_SAMPLES
    speech.set(samples.subarray(from, from + DETECTION_WINDOW_SAMPLES), to * DETECTION_WINDOW_SAMPLES)
  }
  return speech
}

function clippedShare(samples: Float32Array): number {
  let clipped = 0
  for (const sample of samples) if (Math.abs(sample) >= CLIPPED_FROM) clipped += 1
  return clipped / samples.length
}

function meanPower(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return sum / samples.length
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function decibels(power: number): number {
  return 10 * Math.log10(power + 1e-12)
}
