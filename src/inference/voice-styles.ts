import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Log } from '../runtime/log.ts'
import { base32Id, type Random } from '../runtime/random.ts'
import { STYLE_CLASSES, STYLE_WIDTH } from '../speech/style-classes.ts'
import { CALIBRATION_UTTERANCES, type StyleRows } from '../speech/task-protocol.ts'
import type { TaskOrder, TaskRunner } from '../speech/task-runner.ts'
import { TaskCancelled } from './scheduler.ts'

/** How a voice sounds: its style vectors, and per length class the conditioning that windows need. */
export interface VoiceStyle extends VoiceSound {
  /**
   * Conditioning of a length class, at once where it was measured before. Else it is measured, before the earliest `deadline` (monotonic
   * clock) of all who wait for it; the voice's other classes are measured after it, when nothing else is to be done, unless `ahead` is
   * off. Rejects when the measurement failed; the next call tries again.
   */
  conditioning(styleClass: number, deadline: number): Promise<Float32Array>
  /** Measures a length class that nobody waits for yet, when nothing else is to be done. */
  prepare(styleClass: number): void
}

/** What a length class was measured to need, or is going to be. */
interface Measurement {
  readonly result: Promise<Float32Array>
  /** Of its tasks, while there are any: whoever comes to wait for the result makes it more urgent. */
  readonly order?: Urgency
}

/** A `TaskOrder` that changes. */
interface Urgency {
  deadline: number
  isAhead: boolean
}

/** What a voice is made of. */
export interface VoiceSound {
  readonly rows: StyleRows
  /** Median of the pitch that it speaks with. */
  readonly hertz: number
  /** What the pitch of the style is multiplied by; absent: 1. */
  readonly pitch?: number
  /** Taps of a filter that the speech goes through; absent: none. */
  readonly equaliser?: Float32Array
  /** Another sound will take its place: of this one nothing is measured but what is needed, and nothing kept. */
  readonly isSketch?: boolean
}

/** Where voices of one kind lie. */
export interface VoiceSource {
  read(name: string): Promise<VoiceSound>
  /** Where what was measured with a row of the voice's style is kept. */
  conditioningPath(name: string, row: number): string
  /** Makes sure that there is a folder to keep it in; rejects where there can't be. */
  makeRoom(name: string): Promise<void>
}

/**
 * Styles and conditioning of voices. Conditioning is made on this machine by speaking a fixed text, so it depends on the voice and
 * the installed graphs and on nothing anybody said; it is kept on disk.
 */
export class VoiceStyles {
  readonly #source: VoiceSource
  readonly #runner: TaskRunner
  readonly #log: Log
  readonly #random: Random
  readonly #loadedMax: number
  readonly #ahead: boolean
  /** The one that was asked for last is the last. */
  readonly #loaded = new Map<string, Promise<VoiceStyle>>()

  /**
   * `loadedMax`: voices that are kept in memory, about a megabyte each. `ahead`: of a voice that speaks, classes are measured that it
   * has not needed yet.
   */
  constructor(source: VoiceSource, runner: TaskRunner, log: Log, random: Random, loadedMax: number, ahead = true) {
    this.#source = source
    this.#runner = runner
    this.#log = log
    this.#random = random
    this.#loadedMax = loadedMax
    this.#ahead = ahead
  }

  /** Rejects when the source does. */
  load(name: string): Promise<VoiceStyle> {
    const known = this.#loaded.get(name)
    const loading = known ?? this.#read(name)
    this.#loaded.delete(name)
    this.#loaded.set(name, loading)
    if (known) return known
    loading.catch(() => {
      if (this.#loaded.get(name) === loading) this.#loaded.delete(name)
    })
    if (this.#loaded.size > this.#loadedMax) this.#loaded.delete(this.#loaded.keys().next().value!)
    return loading
  }

  /** The voice sounds otherwise from now on. Who speaks with it goes on as before. */
  forget(name: string): void {
    this.#loaded.delete(name)
  }

  async #read(name: string): Promise<VoiceStyle> {
    const sound = await this.#source.read(name)
    const stored = STYLE_CLASSES.map((_, styleClass) => readFile(this.#path(name, styleClass)).catch(() => undefined))
    const measured: (Measurement | undefined)[] = (await Promise.all(stored)).map(
      (bytes) => bytes && { result: Promise.resolve(floatsOf(bytes)) },
    )
    const conditioning = (styleClass: number, deadline: number): Promise<Float32Array> => {
      const { result, order } = measured[styleClass] ?? measure(styleClass, { deadline, isAhead: false })
      if (order) Object.assign(order, { deadline: Math.min(order.deadline, deadline), isAhead: false })
      return result
    }
    const measure = (styleClass: number, order: Urgency): Measurement => {
      const result = this.#calibrate(name, styleClass, sound, order)
      measured[styleClass] = { result, order }
      result.then(
        () => {
          measured[styleClass] = { result }
          measureNext()
        },
        (error: unknown) => {
          measured[styleClass] = undefined
          // Whoever waits for it hears of it.
          if (order.isAhead && !(error instanceof TaskCancelled))
            this.#log.warn({ voice: name, err: error }, 'calibration failed')
        },
      )
      return { result, order }
    }
    /** One class after another, so that little of it stands in a queue. */
    const measureNext = () => {
      const styleClass = measured.indexOf(undefined)
      if (!this.#ahead || sound.isSketch || styleClass === -1 || measured.some((other) => other?.order?.isAhead)) return
      prepare(styleClass)
    }
    const prepare = (styleClass: number): void => {
      if (!measured[styleClass]) measure(styleClass, { deadline: Number.POSITIVE_INFINITY, isAhead: true })
    }
    return { ...sound, conditioning, prepare }
  }

  async #calibrate(name: string, styleClass: number, sound: VoiceSound, order: TaskOrder): Promise<Float32Array> {
    const style = sound.rows.slice(styleClass * STYLE_WIDTH, (styleClass + 1) * STYLE_WIDTH)
    const pitch = sound.pitch === undefined ? {} : { pitch: sound.pitch }
    const measured = await Promise.all(
      Array.from({ length: CALIBRATION_UTTERANCES }, (_, utterance) =>
        this.#runner.run({ kind: 'calibrate', style, ...pitch, utterance }, order),
      ),
    )
    const conditioning = mean(measured.map((result) => result.conditioning))
    if (sound.isSketch) return conditioning
    const path = this.#path(name, styleClass)
    // Of its own name: another node that shares the models may measure the same, and nobody may ever read half of it.
    const part = `${path}.${base32Id(this.#random, PART_ID_LENGTH)}.new`
    try {
      await this.#source.makeRoom(name)
      await writeFile(part, conditioning, { mode: 0o600, flush: true })
      await rename(part, path)
    } catch (error) {
      await rm(part, { force: true }).catch(() => {})
      // A read-only models folder costs a calibration at each start, nothing else.
      this.#log.warn({ voice: name, err: error }, 'calibration could not be stored')
    }
    return conditioning
  }

  #path(name: string, styleClass: number): string {
    return this.#source.conditioningPath(name, STYLE_CLASSES[styleClass]!.row)
  }
}

const PART_ID_LENGTH = 10

function mean(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) {
    for (const [index, value] of vector.entries()) sum[index]! += value / vectors.length
  }
  return sum
}

function floatsOf(bytes: Buffer): Float32Array {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}
