import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { noise } from '../onnx/run-graph.ts'

/** A variable of a model file: values in the type they are stored in. */
export interface StoredVariable {
  readonly dims: readonly number[]
  readonly values: Float32Array | Int8Array | Int16Array | Int32Array | Uint16Array
  /** Of 16-bit patterns. */
  readonly half?: 'float16' | 'bfloat16'
}

/** The bytes of a `model.bin`. */
export function modelBytes(
  variables: Readonly<Record<string, StoredVariable>>,
  aliases: Readonly<Record<string, string>> = {},
  { version = 6, specification = 'WhisperSpec' } = {},
): Uint8Array {
  const u16 = (value: number) => new Uint8Array(Uint16Array.of(value).buffer)
  const u32 = (value: number) => new Uint8Array(Uint32Array.of(value).buffer)
  const string = (text: string) => [u16(text.length + 1), Buffer.from(`${text}\0`)]
  const parts: Uint8Array[] = [u32(version), ...string(specification), u32(3), u32(Object.keys(variables).length)]
  for (const [name, { dims, values, half }] of Object.entries(variables)) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    parts.push(...string(name), Uint8Array.of(dims.length), ...dims.map(u32))
    parts.push(Uint8Array.of(typeNumber(values, half)), u32(bytes.length), bytes)
  }
  parts.push(u32(Object.keys(aliases).length), ...Object.entries(aliases).flat().flatMap(string))
  return new Uint8Array(Buffer.concat(parts))
}

function typeNumber(values: StoredVariable['values'], half: StoredVariable['half']): number {
  if (values instanceof Float32Array) return 0
  if (values instanceof Int8Array) return 1
  if (values instanceof Int16Array) return 2
  if (values instanceof Int32Array) return 3
  return half === 'bfloat16' ? 5 : 4
}

export const TINY = { width: 64, heads: 2, layers: 2, melBands: 8, framesMax: 40, tokensMax: 24 } as const
/** Tokens that are no text: see `VOCABULARY`. */
export const SIGNS = ['endoftext', 'startoftranscript', 'en', 'translate', 'transcribe', 'nospeech', 'notimestamps']
/** Letters and signs. */
export const VOCABULARY = [...'abcdefghijklmnopqrstuvwxyz'].concat(SIGNS.map((sign) => `<|${sign}|>`))

/** A Whisper model of random weights. */
export function tinyWhisper(): Readonly<Record<string, StoredVariable>> {
  const { width, heads, layers, melBands, framesMax, tokensMax } = TINY
  const variables: Record<string, StoredVariable> = {}
  let seed = 1
  const random = (name: string, dims: readonly number[], scale: number, centre = 0) => {
    const count = dims.reduce((product, dim) => product * dim, 1)
    seed += 1
    variables[name] = { dims, values: noise(count, seed).map((value) => centre + scale * value) }
  }
  const norm = (path: string) => {
    random(`${path}/gamma`, [width], 0.1, 1)
    random(`${path}/beta`, [width], 0.1)
  }
  const linear = (path: string, outputs: number, inputs: number) => {
    random(`${path}/weight`, [outputs, inputs], 1.5 / Math.sqrt(inputs))
    random(`${path}/bias`, [outputs], 0.1)
  }
  for (const side of ['encoder', 'decoder']) {
    variables[`${side}/num_heads`] = { dims: [], values: Int16Array.of(heads) }
    norm(`${side}/layer_norm`)
    for (let layer = 0; layer < layers; layer++) {
      const path = `${side}/layer_${layer}`
      norm(`${path}/self_attention/layer_norm`)
      linear(`${path}/self_attention/linear_0`, 3 * width, width)
      linear(`${path}/self_attention/linear_1`, width, width)
      norm(`${path}/ffn/layer_norm`)
      linear(`${path}/ffn/linear_0`, 4 * width, width)
      linear(`${path}/ffn/linear_1`, width, 4 * width)
      if (side === 'encoder') continue
      norm(`${path}/attention/layer_norm`)
      linear(`${path}/attention/linear_0`, width, width)
      linear(`${path}/attention/linear_1`, 2 * width, width)
      linear(`${path}/attention/linear_2`, width, width)
    }
  }
  random('encoder/conv1/weight', [width, melBands, 3], 0.3)
  random('encoder/conv1/bias', [width], 0.1)
  random('encoder/conv2/weight', [width, width, 3], 0.1)
  random('encoder/conv2/bias', [width], 0.1)
  random('encoder/position_encodings/encodings', [framesMax, width], 0.5)
  random('decoder/position_encodings/encodings', [tokensMax, width], 0.5)
  random('decoder/embeddings/weight', [VOCABULARY.length, width], 1)
  return variables
}

/** Writes a folder as faster-whisper would find it. */
export async function writeTinyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const aliases = { 'decoder/projection/weight': 'decoder/embeddings/weight' }
  await writeFile(join(folder, 'model.bin'), modelBytes(tinyWhisper(), aliases))
  await writeFile(join(folder, 'vocabulary.json'), JSON.stringify(VOCABULARY))
  await writeFile(join(folder, 'config.json'), JSON.stringify({ suppress_ids: [3], suppress_ids_begin: [4] }))
}
