import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../runtime/log.ts'
import { STYLE_CLASSES, STYLE_WIDTH } from '../speech/style-classes.ts'
import type { StyleRows } from '../speech/task-protocol.ts'
import type { TaskRunner } from '../speech/task-runner.ts'

/** A voice's file holds one style for each number of tokens. */
const TABLE_ROWS = 510

/** How one voice sounds: its style vectors, and per length class the conditioning that windows need. */
export interface VoiceStyle {
  readonly rows: StyleRows
  /** Undefined until the class was calibrated: decode whole meanwhile. */
  conditioning(styleClass: number): Float32Array | undefined
  /** Has a missing class calibrated in the background, once. */
  prepare(styleClass: number): Promise<void>
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
    const conditioning = (await Promise.all(stored)).map((bytes) => bytes && floatsOf(bytes))
    const preparing = new Map<number, Promise<void>>()
    return {
      rows,
      conditioning: (styleClass) => conditioning[styleClass],
      prepare: (styleClass) => {
        if (conditioning[styleClass]) return Promise.resolve()
        const running = preparing.get(styleClass)
        if (running) return running
        const calibrating = this.#calibrate(name, styleClass, rows).then((made) => {
          conditioning[styleClass] = made
        })
        preparing.set(styleClass, calibrating)
        return calibrating.finally(() => preparing.delete(styleClass))
      },
    }
  }

  async #calibrate(name: string, styleClass: number, rows: StyleRows): Promise<Float32Array> {
    const style = rows.slice(styleClass * STYLE_WIDTH, (styleClass + 1) * STYLE_WIDTH)
    const { conditioning } = await this.#runner.run(
      { kind: 'calibrate', style },
      { deadline: Number.POSITIVE_INFINITY },
    )
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

function floatsOf(bytes: Buffer): Float32Array {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}
