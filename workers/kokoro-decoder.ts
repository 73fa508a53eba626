import assert from 'node:assert/strict'
import { join } from 'node:path'
import { GRAPH_FILES, type KokoroManifest, readManifest } from '../models/kokoro/manifest.ts'
import { equalise } from '../src/audio/equaliser.ts'
import { STYLE_WIDTH } from '../src/speech/style-classes.ts'
import {
  type Features,
  FRAME_SAMPLES,
  OVERLAP_SAMPLES,
  type RenderedAudio,
  type WindowTask,
} from '../src/speech/task-protocol.ts'
import { SOURCE_WIDTH, sourceSpectra } from './harmonic-source.ts'
import { cutFeatures, TEXT_WIDTH, track } from './kokoro-features.ts'
import { speechSpans } from './kokoro-silence.ts'
import { type WindowPart, windowLayout } from './kokoro-window.ts'
import { type Feeds, floats, matrix, openSession, type Session, type Tensor, tensor } from './session.ts'

/**
 * Four seconds. A whole decode needs memory for every second, which is kept for the next, and costs twice as much as windows.
 * Statistics of less speech are worse: those of two seconds cost 0.1 of DNSMOS.
 */
const WHOLE_FRAMES_MAX = 160

export interface WholeAudio {
  readonly audio: Float32Array
  readonly conditioning: Float32Array
}

/** The half of Kokoro that makes sound of features, in windows or whole. */
export class KokoroDecoder {
  readonly #window: Session
  readonly #wholePath: string
  readonly #manifest: KokoroManifest
  /** Open while renderings whole follow each other: opening it takes longer than a short sentence. */
  #whole: Session | undefined

  private constructor(window: Session, wholePath: string, manifest: KokoroManifest) {
    this.#window = window
    this.#wholePath = wholePath
    this.#manifest = manifest
  }

  /** `installedDir`: what `installKokoro` wrote. */
  static async load(installedDir: string): Promise<KokoroDecoder> {
    const manifest = await readManifest(installedDir)
    const window = await openSession(join(installedDir, GRAPH_FILES.window))
    return new KokoroDecoder(window, join(installedDir, GRAPH_FILES.whole), manifest)
  }

  /** Renders these once, in any voice. */
  async warmUp(features: Features): Promise<void> {
    const conditioning = new Float32Array(this.#manifest.conditioningSize)
    const part = windowLayout(features.frames, 0, features.frames).part({ from: 0, to: features.frames })
    assert.ok(part)
    await this.#render(features, conditioning, part)
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
  async whole(features: Features, style: Float32Array): Promise<WholeAudio> {
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

  async close(): Promise<void> {
    await this.endWhole()
    await this.#window.release()
  }

  async #render(features: Features, conditioning: Float32Array, part: WindowPart): Promise<Float32Array> {
    const { audio } = await this.#window.run({
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

function position(value: number): Tensor {
  return tensor('int64', BigInt64Array.of(BigInt(value)), [1])
}

/** Throws where the model computed anything but numbers: as PCM it would pass for silence. */
function samplesOf(audio: Tensor): Float32Array {
  const samples = floats(audio)
  assert.ok(Number.isFinite(samples.reduce((sum, sample) => sum + sample, 0)), 'the model rendered no numbers')
  return samples
}
