/** Float weights of a linear layer, row-major: a row an output. */
export interface Weights {
  readonly values: Float32Array
  readonly outputs: number
  readonly inputs: number
}

/** Values of a row that share a scale. Shorter blocks follow the weights closer and cost more. */
export const BLOCK_VALUES = 32
/** What stands for zero in `BlockRounded`. */
export const BLOCK_ZERO = 128

/** Weight = (value - 128) × scale of its block. */
export interface BlockRounded {
  /** [outputs, inputs / 32, 32] */
  readonly values: Uint8Array
  /** [outputs, inputs / 32] */
  readonly scales: Float32Array
}

export function roundBlocks({ values, inputs }: Weights): BlockRounded {
  if (inputs % BLOCK_VALUES !== 0) throw new Error(`rows of ${inputs} weights can't be cut into blocks`)
  const rounded = new Uint8Array(values.length)
  const scales = new Float32Array(values.length / BLOCK_VALUES)
  for (let block = 0; block < scales.length; block++) {
    const from = block * BLOCK_VALUES
    const scale = scaleOf(values, from, from + BLOCK_VALUES)
    scales[block] = scale
    for (let at = from; at < from + BLOCK_VALUES; at++) rounded[at] = Math.round((values[at] ?? 0) / scale) + BLOCK_ZERO
  }
  return { values: rounded, scales }
}

/** Weight = value × scale of its output. */
export interface ChannelRounded {
  /** [inputs, outputs] */
  readonly values: Int8Array
  /** [outputs] */
  readonly scales: Float32Array
}

export function roundChannels({ values, outputs, inputs }: Weights): ChannelRounded {
  const rounded = new Int8Array(values.length)
  const scales = new Float32Array(outputs)
  for (let output = 0; output < outputs; output++) {
    const from = output * inputs
    const scale = scaleOf(values, from, from + inputs)
    scales[output] = scale
    for (let input = 0; input < inputs; input++) {
      rounded[input * outputs + output] = Math.round((values[from + input] ?? 0) / scale)
    }
  }
  return { values: rounded, scales }
}

/** The largest weight becomes 127. */
function scaleOf(values: Float32Array, from: number, to: number): number {
  let largest = 0
  for (let at = from; at < to; at++) largest = Math.max(largest, Math.abs(values[at] ?? 0))
  return Math.fround(Math.max(largest, 1e-9) / 127)
}
