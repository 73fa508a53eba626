import assert from 'node:assert/strict'
import { join } from 'node:path'
import { readTexts, readWhisperManifest, WHISPER_FILES, type WhisperManifest } from '../models/whisper/manifest.ts'
import type { RecognizeTask, Transcript } from '../src/speech/task-protocol.ts'
import { LogMel } from './log-mel.ts'
import { HOP_SAMPLES } from './mel-power.ts'
import { repeatedTail } from './repetition.ts'
import { openSession, type Session, tensor } from './session.ts'
import { wordTokens } from './spoken-words.ts'
import { TokenText } from './token-text.ts'
import { type Heard, WhisperDecoder } from './whisper-decoder.ts'
import { placeTokens } from './word-times.ts'

const SAMPLE_RATE = 16_000
/** Samples of one position of the encoder: 20 ms. */
const POSITION_SAMPLES = 2 * HOP_SAMPLES
/** Silence that the model is shown after the audio, so that it sees the end. */
const TAIL_POSITIONS = 50
/**
 * More of it, for the second try after it lost the thread or heard nobody: with little around it speech of a strange accent passes for
 * noise. With the model's whole 30 s it hears no better, and needs five times as long.
 */
const RETRY_TAIL_POSITIONS = 200
/** Quieter than this, −80 dB, is no recording of anybody. */
const PEAK_MIN = 1e-4
/** Twice as fast as anybody speaks, in any script, and a start. */
const CHARACTERS_A_SECOND = 40
const CHARACTERS_MIN = 50
/** Probability of nothing being said from which the words are taken to be made up, alone and when they are also unlikely. */
const NO_SPEECH_SURE = 0.6
const NO_SPEECH_LIKELY = 0.4
const LOG_PROBABILITY_UNLIKELY = -1

/** Whisper on one thread. It keeps nothing between two tasks. */
export class WhisperEngine {
  readonly #encoder: Session
  readonly #decoder: Session
  readonly #manifest: WhisperManifest
  readonly #text: TokenText
  readonly #mel: LogMel
  /** Which tokens may follow, up to `endOfText`: 1 where they may. */
  readonly #allowed: Uint8Array
  readonly #allowedAtStart: Uint8Array

  private constructor(encoder: Session, decoder: Session, manifest: WhisperManifest, texts: readonly string[]) {
    this.#encoder = encoder
    this.#decoder = decoder
    this.#manifest = manifest
    this.#text = new TokenText(texts)
    this.#mel = new LogMel(manifest.shape.melBands)
    this.#allowed = new Uint8Array(manifest.endOfText + 1).fill(1)
    for (const token of manifest.suppressed) this.#allowed[token] = 0
    this.#allowedAtStart = this.#allowed.slice()
    for (const token of manifest.suppressedAtStart) this.#allowedAtStart[token] = 0
  }

  /** `installedDir`: what `installWhisper` wrote. */
  static async load(installedDir: string): Promise<WhisperEngine> {
    const manifest = await readWhisperManifest(installedDir)
    const encoder = await openSession(join(installedDir, WHISPER_FILES.encoder))
    const decoder = await openSession(join(installedDir, WHISPER_FILES.decoder))
    return new WhisperEngine(encoder, decoder, manifest, await readTexts(installedDir))
  }

  /** Runs both models once, so that the first task finds them with their memory and code paged in. */
  async warmUp(): Promise<void> {
    const positions = 3 * TAIL_POSITIONS
    const decoder = this.#decode(await this.#encode(new Float32Array(positions), positions), false)
    for (const tokens of [[this.#manifest.startOfTranscript], [0]]) await decoder.next(tokens)
  }

  /** Shows the model no more silence than it needs; where it loses the thread or hears nobody, it is shown more, once. */
  async recognize(task: RecognizeTask): Promise<Transcript> {
    const { samples, languages, wordTimes } = task
    const { framesMax } = this.#manifest.shape
    assert.ok(samples.length <= framesMax * POSITION_SAMPLES, 'more audio than the model hears at once')
    const [language = ''] = languages
    if (isSilent(samples)) return wordTimes ? { text: '', language, words: [] } : { text: '', language }

    const positions = Math.ceil(samples.length / POSITION_SAMPLES)
    const first = await this.#attempt(task, Math.min(framesMax, positions + TAIL_POSITIONS), 0)
    const attempt =
      first.isLost || !isSpeech(first)
        ? await this.#attempt(
            { ...task, languages: [first.language] },
            Math.min(framesMax, positions + RETRY_TAIL_POSITIONS),
            1,
          )
        : first
    const tokens = isSpeech(attempt) ? attempt.tokens : []
    const text = this.#text.decode(tokens).trim()
    if (!wordTimes) return { text, language: attempt.language }
    return { text, language: attempt.language, words: tokens.length > 0 ? this.#words(attempt, samples.length) : [] }
  }

  async close(): Promise<void> {
    await this.#encoder.release()
    await this.#decoder.release()
  }

  async #attempt(task: RecognizeTask, positions: number, patience: number): Promise<Attempt> {
    const decoder = this.#decode(await this.#encode(task.samples, positions), task.wordTimes)
    const start = await decoder.next([this.#manifest.startOfTranscript])
    const noSpeech = probability(start, this.#manifest.noSpeech)
    const { language, prompt } = this.#instruct(start, task.languages)
    const charactersMax = CHARACTERS_MIN + (CHARACTERS_A_SECOND * task.samples.length) / SAMPLE_RATE
    const tokensMax = this.#manifest.shape.tokensMax - prompt.length - 1

    const tokens: number[] = []
    let logProbability = 0
    let characters = 0
    let isLost = false
    for (let scores = await decoder.next(prompt); ; scores = await decoder.next(tokens.slice(-1))) {
      const choice = likeliest(scores, tokens.length === 0 ? this.#allowedAtStart : this.#allowed)
      logProbability += choice.logProbability
      if (choice.token === this.#manifest.endOfText) break
      tokens.push(choice.token)
      characters += this.#text.characters(choice.token)
      const tail = repeatedTail(tokens, patience)
      isLost = tail > 0 || characters > charactersMax || tokens.length >= tokensMax
      if (isLost) {
        tokens.length -= tail
        break
      }
    }
    const meanLogProbability = logProbability / (tokens.length + 1)
    return { tokens, language, noSpeech, meanLogProbability, isLost, decoder, prompt }
  }

  async #encode(samples: Float32Array, positions: number): Promise<Heard> {
    const { melBands } = this.#manifest.shape
    const mel = this.#mel.compute(samples, 2 * positions)
    return this.#encoder.run({ mel: tensor('float32', mel, [1, melBands, 2 * positions]) })
  }

  #decode(heard: Heard, withAlignment: boolean): WhisperDecoder {
    return new WhisperDecoder(this.#decoder, this.#manifest, heard, withAlignment)
  }

  /** The language that the model hears, of those allowed, and what it is told to do about it. */
  #instruct(start: Float32Array, languages: readonly string[]) {
    const { multilingual, noTimestamps } = this.#manifest
    const [first = ''] = languages
    if (multilingual === undefined) return { language: first, prompt: [noTimestamps] }
    const score = (language: string) => start[multilingual.languages[language] ?? -1] ?? Number.NEGATIVE_INFINITY
    const language = languages.reduce((best, other) => (score(other) > score(best) ? other : best), first)
    const sign = multilingual.languages[language]
    assert.ok(sign !== undefined, `the model does not know ${language}`)
    return { language, prompt: [sign, multilingual.transcribe, noTimestamps] }
  }

  #words({ tokens, prompt, decoder, language }: Attempt, samples: number): NonNullable<Transcript['words']> {
    const alignment = decoder.alignment()
    const positions = Math.min(alignment.positions, Math.max(1, Math.ceil(samples / POSITION_SAMPLES)))
    // A row predicts the token after it: the first is that of the sign before the text, the last leads to its end.
    const end = Math.min(prompt.length + tokens.length + 1, alignment.rows[0]?.length ?? 0)
    const starts = placeTokens(alignment, prompt.length, end, positions)
    const seconds = (token: number) => ((starts[token] ?? positions) * POSITION_SAMPLES) / SAMPLE_RATE
    return wordTokens(tokens, this.#text, language).map(({ word, from, soundTo }) => {
      const start = seconds(from)
      return { word, start, end: Math.max(start, seconds(soundTo)) }
    })
  }
}

interface Attempt {
  readonly tokens: readonly number[]
  readonly language: string
  /** Probability of nothing being said. */
  readonly noSpeech: number
  readonly meanLogProbability: number
  /** The model went on without end; `tokens` is what it said before. */
  readonly isLost: boolean
  readonly decoder: WhisperDecoder
  readonly prompt: readonly number[]
}

function isSilent(samples: Float32Array): boolean {
  return samples.every((sample) => Math.abs(sample) < PEAK_MIN)
}

/** Whisper's own rule wants both signs at once, and lets words pass that it makes up for silence. */
function isSpeech({ noSpeech, meanLogProbability }: Attempt): boolean {
  if (noSpeech > NO_SPEECH_SURE) return false
  return noSpeech <= NO_SPEECH_LIKELY || meanLogProbability >= LOG_PROBABILITY_UNLIKELY
}

function likeliest(scores: Float32Array, allowed: Uint8Array): { token: number; logProbability: number } {
  let token = -1
  let best = Number.NEGATIVE_INFINITY
  for (let at = 0; at < allowed.length; at++) {
    if (scores[at]! > best && allowed[at] === 1) {
      best = scores[at]!
      token = at
    }
  }
  assert.ok(token >= 0, 'the model computed no numbers')
  return { token, logProbability: -logSum(scores, best, allowed) }
}

function probability(scores: Float32Array, token: number): number {
  const best = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY)
  return Math.exp(scores[token]! - best - logSum(scores, best))
}

/** What is this much less likely than the best adds nothing. */
const SCORE_RANGE = 20

/** log Σ exp(score − best), over the allowed tokens. */
function logSum(scores: Float32Array, best: number, allowed?: Uint8Array): number {
  let sum = 0
  const length = allowed?.length ?? scores.length
  for (let at = 0; at < length; at++) {
    const below = scores[at]! - best
    if (below > -SCORE_RANGE && (allowed === undefined || allowed[at] === 1)) sum += Math.exp(below)
  }
  return Math.log(sum)
}
