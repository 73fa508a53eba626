import assert from 'node:assert/strict'
import type { AudioDecoder } from '../audio/decoding.ts'
import { fromPcm16 } from '../audio/pcm.ts'
import { STT_SECONDS_MAX, STT_SECONDS_MIN, STT_SECONDS_TOLERANCE } from '../limits.ts'
import type { Spool, SpoolFile } from '../runtime/spool.ts'
import { DETECTION_WINDOW_SAMPLES, type SpeechDetector } from '../speech/detection.ts'
import { LISTENING_SAMPLE_RATE } from '../speech/recognition.ts'
import { cutRecording, type Stretch } from '../speech/recording-cutter.ts'

/** Audio that can't be transcribed, through no fault of the node. The message is for whoever sent it. */
export class AudioRefused extends Error {
  readonly reason: 'unsupported' | 'undecodable' | 'too_short' | 'too_long'

  constructor(reason: AudioRefused['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

export interface RecordingParts {
  readonly decoder: AudioDecoder
  readonly detector: SpeechDetector
  readonly spool: Spool
}

/**
 * A file's audio, mono at 16 kHz, on disk as PCM16, and where somebody speaks in it. Of half an hour there is never more in memory
 * than what is being looked at.
 */
export class Recording {
  readonly #file: SpoolFile
  readonly #samples: number
  /** Stretches with speech, each short enough for a recogniser, in order. */
  readonly pieces: readonly Stretch[]

  /**
   * Decodes a file and finds the speech in it. Rejects with `AudioRefused`, `DecoderBusy`, `SpoolFull`, or with the signal's reason
   * when it aborts.
   */
  static async open(
    path: string,
    { decoder, detector, spool }: RecordingParts,
    signal: AbortSignal,
  ): Promise<Recording> {
    const file = await spool.create()
    try {
      file.claim((STT_SECONDS_MAX + STT_SECONDS_TOLERANCE) * LISTENING_SAMPLE_RATE * BYTES_PER_SAMPLE)
      const samples = await decodeTo(file, path, decoder, signal)
      file.settle(samples * BYTES_PER_SAMPLE)
      const probabilities = await detectSpeech(file, samples, detector, signal)
      return new Recording(file, samples, cutRecording(probabilities, samples))
    } catch (error) {
      await file.remove()
      throw error
    }
  }

  private constructor(file: SpoolFile, samples: number, pieces: readonly Stretch[]) {
    this.#file = file
    this.#samples = samples
    this.pieces = pieces
  }

  get durationSeconds(): number {
    return this.#samples / LISTENING_SAMPLE_RATE
  }

  /** The samples of one piece, in [-1, 1]; the caller owns them. */
  samplesOf(piece: Stretch): Promise<Float32Array> {
    return readSamples(this.#file, piece)
  }

  /** Removes the audio from the disk; again: nothing. */
  close(): Promise<void> {
    return this.#file.remove()
  }
}

const BYTES_PER_SAMPLE = 2
/** A second: long enough to be worth a thread's while, short enough to let microphones in between. */
const DETECTION_BLOCK_SAMPLES = 32 * DETECTION_WINDOW_SAMPLES

/** Number of samples. */
async function decodeTo(file: SpoolFile, path: string, decoder: AudioDecoder, signal: AbortSignal): Promise<number> {
  const result = await decoder.decode(path, file.path, signal)
  switch (result.status) {
    case 'decoded':
      break
    case 'cancelled':
      signal.throwIfAborted()
      throw new Error('decoding was cancelled by nobody')
    case 'too_long':
      throw new AudioRefused('too_long', `audio must last at most ${STT_SECONDS_MAX} seconds`)
    case 'unsupported':
    case 'undecodable':
      throw new AudioRefused(result.status, result.message)
  }
  if (result.samples < (STT_SECONDS_MIN - STT_SECONDS_TOLERANCE) * LISTENING_SAMPLE_RATE) {
    throw new AudioRefused('too_short', `audio must last at least ${STT_SECONDS_MIN} seconds`)
  }
  return result.samples
}

/** Probability of speech for every window; the last one is filled up with silence. */
async function detectSpeech(
  file: SpoolFile,
  samples: number,
  detector: SpeechDetector,
  signal: AbortSignal,
): Promise<Float32Array> {
  const stream = detector.open()
  const probabilities = new Float32Array(Math.ceil(samples / DETECTION_WINDOW_SAMPLES))
  let found = 0
  for (let start = 0; start < samples; start += DETECTION_BLOCK_SAMPLES) {
    signal.throwIfAborted()
    const block = await readSamples(file, { start, end: Math.min(samples, start + DETECTION_BLOCK_SAMPLES) })
    const whole = new Float32Array(Math.ceil(block.length / DETECTION_WINDOW_SAMPLES) * DETECTION_WINDOW_SAMPLES)
    whole.set(block)
    const answer = await stream.push(whole)
    probabilities.set(answer, found)
    found += answer.length
  }
  assert.equal(found, probabilities.length, 'the detector judges every window')
  signal.throwIfAborted()
  return probabilities
}

async function readSamples(file: SpoolFile, { start, end }: Stretch): Promise<Float32Array> {
  const bytes = await file.read(start * BYTES_PER_SAMPLE, (end - start) * BYTES_PER_SAMPLE)
  assert.equal(bytes.length, (end - start) * BYTES_PER_SAMPLE, 'the audio on disk is as long as it was')
  return fromPcm16(new Int16Array(bytes.buffer))
}
