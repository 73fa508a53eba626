import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { STYLE_CLASSES, STYLE_WIDTH } from '../speech/style-classes.ts'
import type { StyleRows } from '../speech/task-protocol.ts'
import { PRESET_VOICES } from '../speech/voices.ts'
import type { VoiceSound, VoiceSource } from './voice-styles.ts'

/** A voice's file holds one style for each number of tokens. */
const TABLE_ROWS = 510
const ROW_BYTES = STYLE_WIDTH * Float32Array.BYTES_PER_ELEMENT

/** The model's own voices: a file of styles each, and what was measured of them beside the model. */
export class PresetVoices implements VoiceSource {
  readonly #voicesDir: string
  readonly #conditioningDir: string

  /** `voicesDir`: `<name>.bin` per voice. `conditioningDir`: one folder per version of the graphs. */
  constructor(voicesDir: string, conditioningDir: string) {
    this.#voicesDir = voicesDir
    this.#conditioningDir = conditioningDir
  }

  /** Rejects when there is no such voice, or its file can't be read or has the wrong size. */
  async read(name: string): Promise<VoiceSound> {
    const voice = PRESET_VOICES.find(({ model }) => model === name)
    if (!voice) throw new Error(`the model has no voice ${name}`)
    const table = floatsOf(await readFile(this.#path(name)))
    if (table.length !== TABLE_ROWS * STYLE_WIDTH) throw new Error(`the file of voice ${name} has the wrong size`)
    return { rows: representativeRows(table), hertz: voice.hertz }
  }

  /** Styles of all voices in one length class, in the order of `PRESET_VOICES`. */
  styles(styleClass: number): Promise<Float32Array[]> {
    const position = STYLE_CLASSES[styleClass]!.row * ROW_BYTES
    return Promise.all(
      PRESET_VOICES.map(async ({ model }) => {
        const file = await open(this.#path(model))
        try {
          const { buffer, bytesRead } = await file.read({ buffer: new Uint8Array(ROW_BYTES), position })
          if (bytesRead < ROW_BYTES) throw new Error(`the file of voice ${model} is cut off`)
          return new Float32Array(buffer.buffer)
        } finally {
          await file.close()
        }
      }),
    )
  }

  /** Named by its row, which says what it was measured with, whatever the classes come to be. */
  conditioningPath(name: string, row: number): string {
    return join(this.#conditioningDir, `${name}-${row}.f32`)
  }

  async makeRoom(): Promise<void> {
    await mkdir(this.#conditioningDir, { recursive: true })
  }

  #path(name: string): string {
    return join(this.#voicesDir, `${name}.bin`)
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
