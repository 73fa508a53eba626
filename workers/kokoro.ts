import assert from 'node:assert/strict'
import { join } from 'node:path'
import { alignment, fitDurations, paceDurations } from '../models/kokoro/durations.ts'
import { GRAPH_FILES } from '../models/kokoro/manifest.ts'
import { isPronounceable, modelInput, SYMBOLS_MAX, symbolIds } from '../models/kokoro/symbols.ts'
import { STYLE_WIDTH, styleClassOf } from '../src/speech/style-classes.ts'
import type {
  CalibrateTask,
  Features,
  MeasureResult,
  MeasureTask,
  PlanTask,
  PlanTooLong,
  Pronunciation,
  RenderedAudio,
  SpeechPlan,
  SpokenPart,
  StyleRows,
  TrialTask,
  WindowTask,
  WordSpan,
} from '../src/speech/task-protocol.ts'
import { type TokenDurations, wordFrames } from '../src/speech/timing/word-frames.ts'
import { KokoroDecoder, type WholeAudio } from './kokoro-decoder.ts'
import { cutFeatures, emptyPlan, speechPlan, TEXT_WIDTH, withoutEndMarks, withPhase } from './kokoro-features.ts'
import { openingOf } from './kokoro-opening.ts'
import { floats, matrix, openSession, type Session, tensor } from './session.ts'

/** Text → phonemes, in the model's symbols. */
export interface PhonemeSource {
  phonemes(text: string, pronunciation: Pronunciation, parts?: readonly SpokenPart[]): string
}

/** "The morning is quiet, but soon every shop will open." "How many people will come? Forty, or fifty if it's warm." */
const CALIBRATION_PHONEMES = [
  'ðə mˈɔːɹnɪŋ ɪz kwˈIət, bˌʌt sˈuːn ˈɛvɹi ʃˈɑːp wɪl ˈOpən.',
  'hˌW mˈɛni pˈiːpəl wɪl kˈʌm? fˈɔːɹti, ɔːɹ fˈɪfti ɪf ɪts wˈɔːɹm.',
]
const WARM_UP_PHONEMES = 'həlˈO.'

/** "We asked her to bring five old boats." Two seconds, with sounds of every place in the mouth; three more with other sounds. */
const TRIAL_PHONEMES = ['wi ˈæskt hɜɹ tə bɹˈɪŋ fˈIv ˈOld bˈOts.', CALIBRATION_PHONEMES[0]!]

/** A style vector and what its pitch is multiplied by. */
interface PitchedStyle {
  readonly vector: Float32Array
  readonly pitch?: number | undefined
}

interface Sessions {
  readonly duration: Session
  readonly prosody: Session
}

/** Kokoro 82M on one thread. Every result is in fresh arrays that belong to the caller; so are the tasks' arrays. */
export class KokoroEngine {
  readonly #sessions: Sessions
  readonly #decoder: KokoroDecoder
  readonly #phonemes: PhonemeSource

  private constructor(sessions: Sessions, decoder: KokoroDecoder, phonemes: PhonemeSource) {
    this.#sessions = sessions
    this.#decoder = decoder
    this.#phonemes = phonemes
  }

  /** `installedDir`: what `installKokoro` wrote. */
  static async load(installedDir: string, phonemes: PhonemeSource): Promise<KokoroEngine> {
    const sessions = {
      duration: await openSession(join(installedDir, GRAPH_FILES.duration)),
      prosody: await openSession(join(installedDir, GRAPH_FILES.prosody)),
    }
    return new KokoroEngine(sessions, await KokoroDecoder.load(installedDir), phonemes)
  }

  /** Runs every model once, so that the first task finds them with their memory and code paged in. */
  async warmUp(): Promise<void> {
    const style = new Float32Array(STYLE_WIDTH)
    await this.#decoder.warmUp(await this.#naturalFeatures(WARM_UP_PHONEMES, { vector: style }))
  }

  async plan(task: PlanTask): Promise<SpeechPlan | PlanTooLong> {
    const phonemes = this.#phonemes.phonemes(task.text, task.pronunciation, task.parts)
    const ids = isPronounceable(phonemes) ? symbolIds(phonemes) : []
    if (ids.length === 0) return emptyPlan()
    if (ids.length > SYMBOLS_MAX) return tooLong(ids.length)
    const styleClass = styleClassOf(ids.length)
    const { frames, speed } = task
    const opening = task.part === 'all' ? undefined : openingOf(ids)
    const planned = task.part === 'opening' && opening ? ids.slice(0, opening.planned) : ids
    let durations: TokenDurations | undefined
    const style = { vector: styleRow(task.styles, styleClass), pitch: task.pitch }
    const features = await this.features(planned, style, (natural) => {
      const paced = frames === undefined ? paceDurations(natural, speed) : fitDurations(natural, frames)
      durations = { natural: natural.slice(), paced }
      return paced
    })
    assert.ok(durations)
    // The first duration is that of the boundary in front of the first token.
    const heardDurations = durations.paced.slice(0, opening ? opening.heard + 1 : 0)
    const heard = heardDurations.reduce((sum, duration) => sum + duration, 0)
    const isComplete = task.part !== 'opening' || !opening
    const [from, to] = task.part === 'rest' ? [heard, features.frames] : [0, isComplete ? features.frames : heard]
    const heardFeatures = withoutEndMarks(cutFeatures(features, from, to))
    const plan = { ...speechPlan(heardFeatures), isComplete, styleClass, tokens: ids.length }
    if (!task.timestamps) return plan
    if (!isComplete) return { ...plan, heardDurations }
    // What was heard of the opening is as long as its own plan made it.
    if (task.heardDurations) durations.paced.set(task.heardDurations)
    return { ...plan, words: this.#words(task, phonemes, durations) }
  }

  /** Features of these symbols, as long as `pace` makes each of them of what the model would. */
  async features(
    ids: readonly number[],
    { vector, pitch = 1 }: PitchedStyle,
    pace: (durations: Float32Array) => Int32Array,
  ): Promise<Features> {
    const { durations: natural, predictor, text } = await this.#durations(ids, vector)
    const tokenOfFrame = alignment(pace(natural))
    const prosody = await this.#sessions.prosody.run({
      predictor,
      alignment: tensor('int64', tokenOfFrame, [tokenOfFrame.length]),
      style: matrix(vector, STYLE_WIDTH),
    })
    assert.ok(prosody.f0 && prosody.energy)
    const asr = new Float32Array(tokenOfFrame.length * TEXT_WIDTH)
    tokenOfFrame.forEach((token, frame) => {
      const row = Number(token) * TEXT_WIDTH
      asr.set(text.subarray(row, row + TEXT_WIDTH), frame * TEXT_WIDTH)
    })
    const tracks = {
      asr: { data: asr, width: TEXT_WIDTH },
      f0: { data: floats(prosody.f0).map((hertz) => hertz * pitch), width: 2 },
      energy: { data: floats(prosody.energy).slice(), width: 2 },
    }
    return withPhase({ frames: tokenOfFrame.length, tracks })
  }

  async measure(task: MeasureTask): Promise<MeasureResult> {
    const ids = this.#symbols(task)
    if (ids.length === 0) return { status: 'measured', frames: 0, tokens: 0 }
    if (ids.length > SYMBOLS_MAX) return tooLong(ids.length)
    const style = styleRow(task.styles, styleClassOf(ids.length))
    const { durations } = await this.#durations(ids, style)
    const frames = paceDurations(durations, 1).reduce((sum, duration) => sum + duration, 0)
    return { status: 'measured', frames, tokens: ids.length }
  }

  /** Frames that hold no speech come out as zeros without being rendered. */
  window(task: WindowTask): Promise<RenderedAudio> {
    return this.#decoder.window(task)
  }

  /** Renders features whole, at most four seconds of them, and returns the conditioning that came of it. */
  whole(features: Features, style: Float32Array): Promise<WholeAudio> {
    return this.#decoder.whole(features, style)
  }

  /** Gives back what rendering whole took hundreds of megabytes for. To be called when something else is done next. */
  endWhole(): Promise<void> {
    return this.#decoder.endWhole()
  }

  async calibrate({ style, pitch, utterance }: CalibrateTask): Promise<{ conditioning: Float32Array }> {
    const phonemes = CALIBRATION_PHONEMES[utterance]
    assert.ok(phonemes, 'there is no such utterance')
    const features = await this.#naturalFeatures(phonemes, { vector: style, pitch })
    const { conditioning } = await this.whole(features, style)
    return { conditioning }
  }

  /** How a voice sounds, in a short sentence without a pause. */
  async trial({ style, pitch, sentence }: Pick<TrialTask, 'style' | 'pitch' | 'sentence'>): Promise<Float32Array> {
    const phonemes = TRIAL_PHONEMES[sentence]
    assert.ok(phonemes, 'there is no such sentence')
    const features = await this.#naturalFeatures(phonemes, { vector: style, pitch })
    const { leadFrames, tailFrames } = speechPlan(features)
    return (await this.whole(cutFeatures(features, leadFrames, features.frames - tailFrames), style)).audio
  }

  async close(): Promise<void> {
    await this.#decoder.close()
    for (const session of Object.values(this.#sessions)) await session.release()
  }

  #naturalFeatures(phonemes: string, style: PitchedStyle): Promise<Features> {
    return this.features(symbolIds(phonemes), style, (durations) => paceDurations(durations, 1))
  }

  #words({ text, pronunciation }: PlanTask, phonemes: string, durations: TokenDurations): WordSpan[] {
    return wordFrames(text, pronunciation, phonemes, durations, (word) => this.#phonemes.phonemes(word, pronunciation))
  }

  #symbols({ text, pronunciation, parts }: PlanTask | MeasureTask): number[] {
    const phonemes = this.#phonemes.phonemes(text, pronunciation, parts)
    return isPronounceable(phonemes) ? symbolIds(phonemes) : []
  }

  async #durations(ids: readonly number[], style: Float32Array) {
    const tokens = modelInput(ids)
    const { durations, predictor, text } = await this.#sessions.duration.run({
      tokens: tensor('int64', tokens, [1, tokens.length]),
      style: matrix(style, STYLE_WIDTH),
    })
    assert.ok(durations && predictor && text)
    return { durations: floats(durations), predictor, text: floats(text) }
  }
}

function styleRow(styles: StyleRows, styleClass: number): Float32Array {
  return styles.slice(styleClass * STYLE_WIDTH, (styleClass + 1) * STYLE_WIDTH)
}

function tooLong(tokens: number): PlanTooLong {
  return { status: 'too_long', tokens, tokensMax: SYMBOLS_MAX }
}
