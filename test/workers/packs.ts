import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { STYLE_CLASSES, STYLE_WIDTH } from '../../src/speech/style-classes.ts'
import type { StyleRows } from '../../src/speech/task-protocol.ts'

const { SYRINX_MODELS, XDG_CACHE_HOME } = process.env
const MODELS_DIR = SYRINX_MODELS ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'syrinx', 'models')

export const KOKORO_DIR = join(MODELS_DIR, 'kokoro-82m', 'installed')
export const SHIPPED_GRAPH = join(MODELS_DIR, 'kokoro-82m', 'kokoro-v1.0.int8.onnx')
export const VOICES_DIR = join(MODELS_DIR, 'kokoro-voices', 'voices')
export const WHISPER_DIR = join(MODELS_DIR, 'whisper-base', 'installed')
export const ENCODER_DIR = join(MODELS_DIR, 'speaker-encoder', 'installed')
export const SILERO_MODEL = join(MODELS_DIR, 'silero-vad', 'silero_vad_16k_op15.onnx')

/** The rows of a voice's table that stand for the length classes. */
export function styleRows(voice: string): StyleRows {
  const file = readFileSync(join(VOICES_DIR, `${voice}.bin`))
  const table = new Float32Array(new Uint8Array(file).buffer)
  const rows = new Float32Array(STYLE_CLASSES.length * STYLE_WIDTH)
  STYLE_CLASSES.forEach(({ row }, index) => {
    rows.set(table.subarray(row * STYLE_WIDTH, (row + 1) * STYLE_WIDTH), index * STYLE_WIDTH)
  })
  return rows
}
