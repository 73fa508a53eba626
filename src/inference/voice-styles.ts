import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../runtime/log.ts'
import { STYLE_CLASSES, STYLE_WIDTH } from '../speech/style-classes.ts'
import { CALIBRATION_UTTERANCES, type StyleRows } from '../speech/task-protocol.ts'
import type { TaskRunner } from '../speech/task-runner.ts'

/** A voice's file holds one style for each number of tokens. */
const TABLE_ROWS = 510

/** How one voice sounds: its style vectors, and per length class the conditioning that windows need. */
export interface VoiceStyle {
  readonly rows: StyleRows
  /**
   * Conditioning of a length class, from the second time on at once. At the first it is measured, before `deadline` (monotonic clock);
   * the voice's other classes are measured after it, when nothing else is to be done. Rejects when the measurement failed; the next call
   * tries again.
   */
  conditioning(styleClass: number, deadline: number): Promise<Float32Array>
}

/**
 * Styles and conditioning of the model's own voices. Conditioning is made on this machine by speaking a fixed text, so it
 * depends on the voice and the installed graphs and on nothing anybody said; it is kept on disk beside the pack.
 */
export class VoiceStyles {
  readonly #voicesDir: string
  readonly #conditioningDir: string
  readonly #runner: TaskRunner
  readonly #log: Log
  readonly #loaded = new Map<string, Promise<VoiceStyle>>()

  /** `voicesDir`: `<name>.bin` per voice. `conditioningDir`: one folder per version of the graphs. */
  constructor(voicesDir: string, conditioningDir: string, runner: TaskRunner, log: Log) {
    this.#voicesDir = voicesDir
    this.#conditioningDir = conditioningDir
    this.#runner = runner
    this.#log = log
  }

  /** Rejects when the voice's file can't be read or has the wrong size. */
  load(name: string): Promise<VoiceStyle> {
    const known = this.#loaded.get(name)
    if (known) return known
    const loading = this.#read(name)
    this.#loaded.set(name, loading)
    loading.catch(() => this.#loaded.delete(name))
    return loading
  }

  async #read(name: string): Promise<VoiceStyle> {
    const table = floatsOf(await readFile(join(this.#voicesDir, `${name}.bin`)))
    if (table.length !== TABLE_ROWS * STYLE_WIDTH) throw new Error(`the file of voice ${name} has the wrong size`)
    const rows = representativeRows(table)
    const stored = STYLE_CLASSES.map((_, styleClass) => readFile(this.#path(name, styleClass)).catch(() => undefined))
    const known = (await Promise.all(stored)).map((bytes) => bytes && Promise.resolve(floatsOf(bytes)))
    const conditioning = (styleClass: number, deadline: number): Promise<Float32Array> => {
      const found = known[styleClass]
      if (found) return found
      const measuring = this.#calibrate(name, styleClass, rows, deadline)
      known[styleClass] = measuring
      measuring.then(
        () => this.#calibrateNext(name, known, conditioning),
        () => {
          known[styleClass] = undefined
        },
      )
      return measuring
    }
    return { rows, conditioning }
  }

  /** One class after another, so that little of it stands in a queue. */
  #calibrateNext(
    name: string,
    known: readonly unknown[],
    conditioning: (styleClass: number, deadline: number) => Promise<Float32Array>,
  ): void {
    const missing = STYLE_CLASSES.findIndex((_, styleClass) => known[styleClass] === undefined)
    if (missing === -1) return
    conditioning(missing, Number.POSITIVE_INFINITY).catch((error: unknown) => {
      this.#log.warn({ voice: name, err: error }, 'calibration failed')
    })
  }

  async #calibrate(name: string, styleClass: number, rows: StyleRows, deadline: number): Promise<Float32Array> {
    const style = rows.slice(styleClass * STYLE_WIDTH, (styleClass + 1) * STYLE_WIDTH)
    const measured = await Promise.all(
      Array.from({ length: CALIBRATION_UTTERANCES }, (_, utterance) =>
        this.#runner.run({ kind: 'calibrate', style, utterance }, { deadline }),
      ),
    )
    const conditioning = mean(measured.map((result) => result.conditioning))
    const path = this.#path(name, styleClass)
    try {
      await mkdir(this.#conditioningDir, { recursive: true })
      await writeFile(`${path}.new`, conditioning)
      await rename(`${path}.new`, path)
    } catch (error) {
      // A read-only models folder costs a calibration at each start, nothing else.
      this.#log.warn({ voice: name, err: error }, 'calibration could not be stored')
    }
    return conditioning
  }

  #path(name: string, styleClass: number): string {
    // Named by its row, which says what it was measured with, whatever the classes come to be.
    return join(this.#conditioningDir, `${name}-${STYLE_CLASSES[styleClass]!.row}.f32`)
  }
}

/** One row per length class, out of the voice's table of one row per token count. */
function representativeRows(table: Float32Array): StyleRows {
  const rows = new Float32Array(STYLE_CLASSES.length * STYLE_WIDTH)
  STYLE_CLASSES.forEach(({ row }, index) => {
    rows.set(table.subarray(row * STYLE_WIDTH, (row + 1) * STYLE_WIDTH), index * STYLE_WIDTH)
  })
  return rows
}

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
