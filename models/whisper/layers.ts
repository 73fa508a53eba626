import assert from 'node:assert/strict'
import type { Graph } from '../onnx/graph.ts'
import { FLOAT32, floats, integers } from '../onnx/tensor.ts'
import type { ModelFile } from './model-file.ts'
import { BLOCK_VALUES, BLOCK_ZERO, roundBlocks, roundChannels, type Weights } from './rounding.ts'

/**
 * How a linear layer is computed. `channels`: 8-bit integer products, one scale an output, the fastest on many rows. `blocks`: 8-bit
 * weights, one scale for 32 of them, closer to the model and the fastest on one row. `float`: as the model is.
 */
export type LinearForm = 'channels' | 'blocks' | 'float'

const MICROSOFT = { domain: 'com.microsoft' }
/** Of `MatMulNBits`: products of 8-bit integers. */
const ACCURACY_INT8 = 4

/** Writes a Whisper model's layers into a graph. Signals are rows: [positions, width]. */
export class Layers {
  readonly graph: Graph
  readonly #file: ModelFile
  readonly #formOf: (layer: string) => LinearForm

  /** `formOf`: the form of the linear layer at a path. */
  constructor(graph: Graph, file: ModelFile, formOf: (layer: string) => LinearForm) {
    this.graph = graph
    this.#file = file
    this.#formOf = formOf
  }

  /**
   * x [rows, inputs] → [rows, outputs]. `queries`: the first outputs are what attention asks with. They are scaled here, in the
   * weights, because a product that scales its result takes a slower way.
   */
  linear(x: string, path: string, queries?: Queries): string {
    const weights = this.#weights(`${path}/weight`)
    const bias = this.#file.floats(`${path}/bias`)
    if (queries !== undefined) {
      scaleFirst(weights.values, queries.outputs * weights.inputs, queries.depth ** -0.5)
      scaleFirst(bias.values, queries.outputs, queries.depth ** -0.5)
    }
    this.graph.constants.set(`${path}/bias`, bias)
    return this.#product(x, `${path}/weight`, this.#formOf(path), weights, `${path}/bias`)
  }

  /** Products of x [1, width] with every row of the table of tokens: [1, vocabulary]. */
  scores(x: string, table: string): string {
    return this.#product(x, table, this.#formOf(table), this.#weights(table))
  }

  /** Rows of the table of tokens: [tokens, width]. Read from the weights that `scores` uses, whichever form they have. */
  embed(tokens: string, table: string): string {
    if (this.#formOf(table) === 'float') return this.gather(this.weight(table), tokens)
    const { weight, scales } = this.#blocks(table, this.#weights(table))
    const values = this.emit('Cast', [this.gather(weight, tokens)], { to: { int: FLOAT32 } })
    const signed = this.emit('Sub', [values, this.number(BLOCK_ZERO)])
    const scale = this.emit('Unsqueeze', [this.gather(this.#table(scales, table), tokens), this.integers([2])])
    const [, width = 0] = this.#file.dims(table)
    return this.reshape(this.emit('Mul', [signed, scale]), [-1, width])
  }

  normalize(x: string, path: string): string {
    const inputs = [x, this.weight(`${path}/gamma`), this.weight(`${path}/beta`)]
    return this.emit('LayerNormalization', inputs, { axis: { int: -1 }, epsilon: { float: 1e-5 } })
  }

  gelu(x: string): string {
    return this.graph.emit('Gelu', [x], MICROSOFT)
  }

  add(a: string, b: string): string {
    return this.emit('Add', [a, b])
  }

  /** x [1, channels, time], three taps. */
  convolve(x: string, path: string, stride: number): string {
    const inputs = [x, this.weight(`${path}/weight`), this.weight(`${path}/bias`)]
    return this.emit('Conv', inputs, {
      kernel_shape: { ints: [3] },
      pads: { ints: [1, 1] },
      strides: { ints: [stride] },
    })
  }

  /** A variable of the model in float32. */
  weight(name: string): string {
    if (!this.graph.constants.has(name)) this.graph.constants.set(name, this.#file.floats(name))
    return name
  }

  /** x [rows, parts × heads × depth] → `parts` tensors [heads, rows, depth]. */
  heads(x: string, parts: number, heads: number): string[] {
    if (parts === 1) return [this.transpose(this.reshape(x, [0, heads, -1]), [1, 0, 2])]
    const apart = this.transpose(this.reshape(x, [0, parts, heads, -1]), [1, 2, 0, 3])
    const split = this.graph.emitAll('Split', [apart], {
      outputs: parts,
      attributes: { axis: { int: 0 }, num_outputs: { int: parts } },
    })
    return split.map((part) => this.emit('Squeeze', [part, this.integers([0])]))
  }

  /** [heads, rows, depth] → [rows, heads × depth]. */
  joinHeads(x: string, width: number): string {
    return this.reshape(this.transpose(x, [1, 0, 2]), [-1, width])
  }

  /** Products of queries [heads, rows, depth] and keys [heads, positions, depth]. */
  match(queries: string, keys: string): string {
    return this.graph.emit('FusedMatMul', [queries, keys], { ...MICROSOFT, attributes: { transB: { int: 1 } } })
  }

  softmax(x: string): string {
    return this.emit('Softmax', [x], { axis: { int: -1 } })
  }

  gather(x: string, rows: string): string {
    return this.emit('Gather', [x, rows], { axis: { int: 0 } })
  }

  transpose(x: string, perm: readonly number[]): string {
    return this.emit('Transpose', [x], { perm: { ints: perm } })
  }

  /** A size of 0 stays as it is. */
  reshape(x: string, dims: readonly number[]): string {
    return this.emit('Reshape', [x, this.integers(dims)])
  }

  /** Size of one axis, int64 [1]. */
  size(x: string, axis: number): string {
    return this.emit('Shape', [x], { start: { int: axis }, end: { int: axis + 1 } })
  }

  /** Rows [from, to), positions as int64 [1]. */
  rows(x: string, from: string, to: string): string {
    return this.emit('Slice', [x, from, to, this.integers([0])])
  }

  number(value: number): string {
    return this.graph.define(`number:${value}`, floats([value]))
  }

  integers(values: readonly number[]): string {
    return this.graph.define(`integers:${values.join(',')}`, integers(values))
  }

  emit(
    op: string,
    inputs: readonly string[],
    attributes: NonNullable<Parameters<Graph['emit']>[2]>['attributes'] = {},
  ): string {
    return this.graph.emit(op, inputs, { attributes })
  }

  #product(x: string, name: string, form: LinearForm, weights: Weights, bias?: string): string {
    const withBias = bias === undefined ? [] : [bias]
    const { outputs, inputs, values } = weights
    switch (form) {
      case 'float': {
        this.graph.constants.set(name, { dims: [outputs, inputs], values })
        return this.emit('Gemm', [x, name, ...withBias], { transB: { int: 1 } })
      }
      case 'channels': {
        const rounded = roundChannels(weights)
        const weight = this.graph.define(`${name}:channels`, { dims: [inputs, outputs], values: rounded.values })
        const scales = this.graph.define(`${name}:scales`, floats(rounded.scales))
        const zeros = this.graph.define(`zeros:${outputs}`, { dims: [outputs], values: new Int8Array(outputs) })
        return this.graph.emit('DynamicQuantizeMatMul', [x, weight, scales, zeros, ...withBias], MICROSOFT)
      }
      case 'blocks': {
        const { weight, scales } = this.#blocks(name, weights)
        const attributes = {
          K: { int: inputs },
          N: { int: outputs },
          bits: { int: 8 },
          block_size: { int: BLOCK_VALUES },
          accuracy_level: { int: ACCURACY_INT8 },
        }
        const product = this.graph.emit('MatMulNBits', [x, weight, scales], { ...MICROSOFT, attributes })
        return bias === undefined ? product : this.add(product, bias)
      }
    }
  }

  #blocks(name: string, weights: Weights) {
    const [weight, scales] = [`${name}:blocks`, `${name}:block-scales`]
    if (!this.graph.constants.has(weight)) {
      const rounded = roundBlocks(weights)
      const dims = [weights.outputs, weights.inputs / BLOCK_VALUES, BLOCK_VALUES]
      this.graph.constants.set(weight, { dims, values: rounded.values })
      this.graph.constants.set(scales, floats(rounded.scales))
    }
    return { weight, scales }
  }

  /** Scales of blocks, which the product takes as one list, as rows. */
  #table(scales: string, name: string): string {
    const [, inputs = 0] = this.#file.dims(name)
    return this.reshape(scales, [-1, inputs / BLOCK_VALUES])
  }

  #weights(name: string): Weights {
    const { dims, values } = this.#file.floats(name)
    const [outputs = 0, inputs = 0] = dims
    assert.equal(dims.length, 2, `${name} is not a matrix`)
    return { values, outputs, inputs }
  }
}

interface Queries {
  readonly outputs: number
  /** Numbers a head compares. */
  readonly depth: number
}

function scaleFirst(values: Float32Array, count: number, factor: number): void {
  for (let at = 0; at < count; at++) values[at]! *= factor
}
