import assert from 'node:assert/strict'
import { join } from 'node:path'
import { alignment, fitDurations, paceDurations } from '../models/kokoro/durations.ts'
import { GRAPH_FILES, type KokoroManifest, readManifest } from '../models/kokoro/manifest.ts'
import { isPronounceable, modelInput, SYMBOLS_MAX, symbolIds } from '../models/kokoro/symbols.ts'
import { equalise } from '../src/audio/equaliser.ts'
import { STYLE_WIDTH, styleClassOf } from '../src/speech/style-classes.ts'
import {
  type CalibrateTask,
  type Features,
  FRAME_SAMPLES,
  type MeasureResult,
  type MeasureTask,
  OVERLAP_SAMPLES,
  type PlanTask,
  type PlanTooLong,
  type Pronunciation,
  type RenderedAudio,
  type SpeechPlan,
  type SpokenPart,
  type StyleRows,
  type TrialTask,
  type WindowTask,
  type WordSpan,
} from '../src/speech/task-protocol.ts'
import { type TokenDurations, wordFrames } from '../src/speech/timing/word-frames.ts'
import { SOURCE_WIDTH, sourceSpectra } from './harmonic-source.ts'
import { cutFeatures, emptyPlan, speechPlan, track, withPhase } from './kokoro-features.ts'
import { openingOf } from './kokoro-opening.ts'
import { speechSpans } from './kokoro-silence.ts'
import { type WindowPart, windowLayout } from './kokoro-window.ts'
import { type Feeds, openSession, type Session, type Tensor, tensor } from './session.ts'

/** Text → phonemes, in the model's symbols. */
export interface PhonemeSource {
  phonemes(text: string, pronunciation: Pronunciation, parts?: readonly SpokenPart[]): string
}

const TEXT_WIDTH = 512
/**
 * Four seconds. A whole decode needs memory for every second, which is kept for the next, and costs twice as much as windows.
 * Statistics of less speech are worse: those of two seconds cost 0.1 of DNSMOS.
 */
const WHOLE_FRAMES_MAX = 160
/** "The morning is quiet, but soon every shop will open." "How many people will come? Forty, or fifty if it's warm." */
const CALIBRATION_PHONEMES = [
  'ðə mˈɔːɹnɪŋ ɪz kwˈIət, bˌʌt sˈuːn ˈɛvɹi ʃˈɑːp wɪl ˈOpən.',
  'hˌW mˈɛni pˈiːpəl wɪl kˈʌm? fˈɔːɹti, ɔːɹ fˈɪfti ɪf ɪts wˈɔːɹm.',
]
const WARM_UP_PHONEMES = 'həlˈO.'

/** "We asked her to bring five old boats." Two seconds, with sounds of every place in the mouth. */
const TRIAL_PHONEMES = 'wi ˈæskt hɜɹ tə bɹˈɪŋ fˈIv ˈOld bˈOts.'

/** A style vector and what its pitch is multiplied by. */
interface PitchedStyle {
  readonly vector: Float32Array
  readonly pitch?: number | undefined
}

interface Sessions {
  readonly duration: Session
  readonly prosody: Session
  readonly window: Session
}

/** Kokoro 82M on one thread. Every result is in fresh arrays that belong to the caller; so are the tasks' arrays. */
export class KokoroEngine {
  readonly #sessions: Sessions
  readonly #wholePath: string
  readonly #manifest: KokoroManifest
  readonly #phonemes: PhonemeSource
  /** Open while renderings whole follow each other: opening it takes longer than a short sentence. */
  #whole: Session | undefined

  private constructor(sessions: Sessions, wholePath: string, manifest: KokoroManifest, phonemes: PhonemeSource) {
    this.#sessions = sessions
    this.#wholePath = wholePath
    this.#manifest = manifest
    this.#phonemes = phonemes
  }

  /** `installedDir`: what `installKokoro` wrote. */
  static async load(installedDir: string, phonemes: PhonemeSource): Promise<KokoroEngine> {
    const manifest = await readManifest(installedDir)
    const path = (file: string) => join(installedDir, file)
    const sessions = {
      duration: await openSession(path(GRAPH_FILES.duration)),
      prosody: await openSession(path(GRAPH_FILES.prosody)),
      window: await openSession(path(GRAPH_FILES.window)),
    }
    return new KokoroEngine(sessions, path(GRAPH_FILES.whole), manifest, phonemes)
  }

  /** Runs every model once, so that the first task finds them with their memory and code paged in. */
  async warmUp(): Promise<void> {
    const style = new Float32Array(STYLE_WIDTH)
    const features = await this.#naturalFeatures(WARM_UP_PHONEMES, { vector: style })
    const conditioning = new Float32Array(this.#manifest.conditioningSize)
    const part = windowLayout(features.frames, 0, features.frames).part({ from: 0, to: features.frames })
    assert.ok(part)
    await this.#render(features, conditioning, part)
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
    const plan = { ...speechPlan(cutFeatures(features, from, to)), isComplete, styleClass, tokens: ids.length }
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
  async window(task: WindowTask): Promise<RenderedAudio> {
    const { features, conditioning, equaliser } = task
    assert.equal(conditioning.length, this.#manifest.conditioningSize, 'conditioning of another installation')
    const reach = OVERLAP_SAMPLES + (equaliser ? (equaliser.length - 1) / 2 : 0)
    const layout = windowLayout(features.frames, task.before, task.frames, reach)
    const samples = new Float32Array(layout.samples)
    for (const span of speechSpans(track(features, 'energy').data)) {
      const part = layout.part(span)
      if (part === undefined) continue
      const audio = await this.#render(features, conditioning, part)
      samples.set(audio.subarray(part.audioFrom, part.audioTo), part.at)
    }
    const { before } = layout
    if (equaliser === undefined) return { samples, before }
    // What the filter needs of the neighbours is no longer needed.
    const from = Math.max(0, before - OVERLAP_SAMPLES)
    const to = before + task.frames * FRAME_SAMPLES + OVERLAP_SAMPLES
    return { samples: equalise(samples, equaliser).slice(from, to), before: before - from }
  }

  /** Renders features whole, at most four seconds of them, and returns the conditioning that came of it. */
  async whole(features: Features, style: Float32Array): Promise<{ audio: Float32Array; conditioning: Float32Array }> {
    const { frames, tracks } = cutFeatures(features, 0, Math.min(features.frames, WHOLE_FRAMES_MAX))
    this.#whole ??= await openSession(this.#wholePath, 'seldom')
    const { audio, conditioning } = await this.#whole.run({
      ...featureFeeds({ frames, tracks }, 0, frames),
      source: this.#source({ frames, tracks }, 0, frames),
      style: matrix(style, STYLE_WIDTH),
    })
    assert.ok(audio && conditioning)
    return { audio: samplesOf(audio).slice(), conditioning: floats(conditioning).slice() }
  }

  /** Gives back what rendering whole took hundreds of megabytes for. To be called when something else is done next. */
  async endWhole(): Promise<void> {
    const session = this.#whole
    this.#whole = undefined
    await session?.release()
  }

  async calibrate({ style, pitch, utterance }: CalibrateTask): Promise<{ conditioning: Float32Array }> {
    const phonemes = CALIBRATION_PHONEMES[utterance]
    assert.ok(phonemes, 'there is no such utterance')
    const features = await this.#naturalFeatures(phonemes, { vector: style, pitch })
    const { conditioning } = await this.whole(features, style)
    return { conditioning }
  }

  /** How a voice sounds, in one short sentence. */
  async trial({ style, pitch }: Omit<TrialTask, 'kind' | 'target'>): Promise<Float32Array> {
    const features = await this.#naturalFeatures(TRIAL_PHONEMES, { vector: style, pitch })
    const { leadFrames, tailFrames } = speechPlan(features)
    const { audio } = await this.whole(cutFeatures(features, leadFrames, features.frames - tailFrames), style)
    return audio
  }

  async close(): Promise<void> {
    await this.endWhole()
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

  async #render(features: Features, conditioning: Float32Array, part: WindowPart): Promise<Float32Array> {
    const { audio } = await this.#sessions.window.run({
      ...featureFeeds(features, part.decoderFrom, part.decoderTo),
      source: this.#source(features, part.firstFrom, part.firstTo),
      conditioning: tensor('float32', conditioning, [conditioning.length]),
      first_from: position(2 * (part.firstFrom - part.decoderFrom)),
      first_to: position(2 * (part.firstTo - part.decoderFrom)),
      second_from: position(part.secondFrom),
      second_to: position(part.secondTo),
      source_from: position(6 * part.secondFrom),
      source_to: position(6 * part.secondTo + 1),
    })
    assert.ok(audio)
    return samplesOf(audio)
  }

  #source(features: Features, from: number, to: number): Tensor {
    const f0 = track(features, 'f0').data
    const phase = track(features, 'phase').data
    return matrix(sourceSpectra(this.#manifest.source, f0, phase, from, to), SOURCE_WIDTH)
  }
}

function featureFeeds(features: Features, from: number, to: number): Feeds {
  const cut = (name: string) => {
    const { data, width } = track(features, name)
    return data.subarray(from * width, to * width)
  }
  return {
    asr: matrix(cut('asr'), TEXT_WIDTH),
    f0: tensor('float32', cut('f0'), [2 * (to - from)]),
    energy: tensor('float32', cut('energy'), [2 * (to - from)]),
  }
}

function styleRow(styles: StyleRows, styleClass: number): Float32Array {
  return styles.slice(styleClass * STYLE_WIDTH, (styleClass + 1) * STYLE_WIDTH)
}

function tooLong(tokens: number): PlanTooLong {
  return { status: 'too_long', tokens, tokensMax: SYMBOLS_MAX }
}

function matrix(values: Float32Array, width: number): Tensor {
  return tensor('float32', values, [values.length / width, width])
}

function position(value: number): Tensor {
  return tensor('int64', BigInt64Array.of(BigInt(value)), [1])
}

/** Throws where the model computed anything but numbers: as PCM it would pass for silence. */
function samplesOf(audio: Tensor): Float32Array {
  const samples = floats(audio)
  assert.ok(Number.isFinite(samples.reduce((sum, sample) => sum + sample, 0)), 'the model rendered no numbers')
  return samples
}

function floats(tensor: Tensor): Float32Array {
  const { data } = tensor
  assert.ok(data instanceof Float32Array)
  return data
}
