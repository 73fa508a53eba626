import assert from 'node:assert/strict'
import type { Graph } from '../onnx/graph.ts'
import { FLOAT32, floats, INT32, integers, scalar, type Tensor } from '../onnx/tensor.ts'
import type { Convolution, Linear, WeightMatrix } from './weights.ts'

/**
 * `fast`: signed weights, one instruction for u8 × s8 products where the processor has it. `plain`: the same numbers as unsigned
 * weights, for kernels whose signed products cannot be trusted; slower.
 */
export type WeightForm = 'fast' | 'plain'

/** A signal [time, channel] in pieces, one after the other. Short pieces stay in the core's cache from one operation to the next. */
export type Signal = readonly string[]

/** A signal of the same pieces, or one tensor for all of them: a number, or one value a channel. */
export type Operand = Signal | string

/** Scale of every column and the bias of a product, as tensors: replaces a layer's own. */
export interface ColumnAffine {
  readonly scale: string
  readonly bias: string
}

const UNSIGNED_OFFSET = 64
/** `Slice` reads a larger end as the end. */
export const TO_END = Number.MAX_SAFE_INTEGER

/**
 * Writes layers into a graph. Time runs down the rows throughout: a convolution is then one integer product of rows, and whatever
 * is one number a channel needs no transposition.
 */
export class Layers {
  readonly graph: Graph
  readonly #form: WeightForm
  readonly #joined = new Map<string, string>()
  readonly #quantized = new Map<string, QuantizedRows>()
  #clock: Clock | undefined

  constructor(graph: Graph, form: WeightForm) {
    this.graph = graph
    this.#form = form
  }

  /** Signals from here on are as long as `x`, until the next call: what depends on the length is computed once. */
  keepTime(x: Signal): void {
    const count = this.graph.emit('Shape', [this.joined(x)], { attributes: { start: { int: 0 }, end: { int: 1 } } })
    const length = this.graph.emit('Cast', [count], { attributes: { to: { int: FLOAT32 } } })
    const rows = this.graph.emit('Range', [this.#integer(0), this.graph.emit('Squeeze', [count]), this.#integer(1)])
    const narrow = this.graph.emit('Cast', [rows], { attributes: { to: { int: INT32 } } })
    this.#clock = { length, rowNumbers: this.reshape(narrow, [-1, 1]), tapPositions: new Map() }
  }

  /** Convolution of stride 1 that keeps the length and the number of pieces. */
  convolve(x: Signal, layer: Convolution, name: string, affine?: ColumnAffine): Signal {
    const { taps, dilation } = layer
    const { rows, scale, zero } = this.#quantize(x)
    if (taps === 1 && x.length === 1) return [this.#product(rows, scale, zero, layer, name, affine)]
    // Gathered rows are the convolution's input as a matrix, in a third of the time of slices laid side by side.
    const reach = ((taps - 1) / 2) * dilation
    const padded = reach === 0 ? rows : this.#pad(rows, reach, reach, zero)
    return this.#tapPositions(taps, dilation, x.length).map((positions) => {
      const gathered = this.graph.emit('Gather', [padded, positions], timeAxis)
      return this.#product(this.reshape(gathered, [-1, layer.weights.rows]), scale, zero, layer, name, affine)
    })
  }

  /** x [rows, inputs] → [rows, outputs]. */
  connect(x: string, layer: Linear, name: string): string {
    const { rows, scale, zero } = this.#quantize([x])
    return this.#product(rows, scale, zero, layer, name)
  }

  /**
   * Transposed convolution whose kernel is two strides long. Every input row writes one stride for itself and one for the row after
   * it, so that an output row reads two input rows: `weights` are [2 × inputs, stride × outputs].
   */
  upsample(x: Signal, weights: WeightMatrix, bias: Float32Array, stride: number, name: string): Signal {
    const { rows, scale, zero } = this.#quantize(x)
    const padded = this.#pad(rows, 1, 1, zero)
    const pairs = this.graph.emit('Concat', [this.slice(padded, 1, TO_END), this.slice(padded, 0, -1)], channelAxis)
    const strides = this.#product(pairs, scale, zero, { weights, bias: repeat(bias, stride) }, name)
    return [this.slice(this.reshape(strides, [-1, bias.length]), stride / 2, stride / 2 - stride)]
  }

  /** Float product x [rows, inputs] × weights [inputs, outputs] + bias. */
  multiply(x: Signal, weights: Tensor, bias: Float32Array | undefined, name: string): Signal {
    const matrix = this.graph.define(`${name}.weight`, weights)
    const product = x.map((piece) => this.graph.emit('MatMul', [piece, matrix]))
    return bias === undefined ? product : this.add(product, this.vector(bias, `${name}.bias`))
  }

  /** Rows that hold several rows each, at `offsets` from their own, after rows of zeros were added at both ends. */
  neighbourhoods(x: Signal, offsets: readonly number[], before: number, after: number): Signal {
    const padded = before + after === 0 ? this.joined(x) : this.padded(x, before, after)
    const reach = Math.max(...offsets)
    const parts = offsets.map((offset) => this.slice(padded, offset, offset - reach || TO_END))
    return [this.graph.emit('Concat', parts, channelAxis)]
  }

  /** Rows of zeros at both ends. */
  padded(x: Signal, before: number, after: number): string {
    return this.#pad(this.joined(x), before, after)
  }

  /** One row more in front, the mirror image of the second. */
  mirrorFirst(x: Signal): Signal {
    const rows = this.joined(x)
    return [this.graph.emit('Concat', [this.slice(rows, 1, 2), rows], timeAxis)]
  }

  /** Every row becomes the one after it, the last one zeros. */
  following(x: Signal): Signal {
    return [this.slice(this.#pad(this.joined(x), 0, 1), 1, TO_END)]
  }

  add(a: Signal, b: Operand): Signal {
    return this.#each('Add', a, b)
  }

  subtract(a: Signal, b: Operand): Signal {
    return this.#each('Sub', a, b)
  }

  scale(a: Signal, b: Operand): Signal {
    return this.#each('Mul', a, b)
  }

  /** A channel's values, or their squares, summed over time and divided by the length: [channels]. */
  meanOverTime(x: Signal, sum: 'ReduceSum' | 'ReduceSumSquare'): string {
    assert.ok(this.#clock, 'a mean needs the length of its signal')
    const overTime = this.#integers([0])
    const sums = x.map((piece) => this.graph.emit(sum, [piece, overTime], { attributes: { keepdims: { int: 0 } } }))
    return this.graph.emit('Div', [this.graph.emit('Sum', sums), this.#clock.length])
  }

  round(x: Signal): Signal {
    return x.map((piece) => this.graph.emit('Round', [piece]))
  }

  leakyRelu(x: Signal, slope: number): Signal {
    return x.map((piece) => this.graph.emit('LeakyRelu', [piece], { attributes: { alpha: { float: slope } } }))
  }

  /** Channels side by side. */
  concat(signals: readonly Signal[]): Signal {
    const parts = signals.map((signal) => this.joined(signal))
    return [this.graph.emit('Concat', parts, channelAxis)]
  }

  /** Two values a row become two rows. */
  interleave(even: Signal, odd: Signal, channels: number): Signal {
    return [this.reshape(this.joined(this.concat([even, odd])), [-1, channels])]
  }

  /** Cuts a signal into pieces of about the same length. */
  split(x: Signal, pieces: number): Signal {
    if (pieces === 1) return x
    const attributes = { axis: { int: 0 }, num_outputs: { int: pieces } }
    return this.graph.emitAll('Split', [this.joined(x)], { outputs: pieces, attributes })
  }

  /** All pieces as one tensor. */
  joined(x: Signal): string {
    const [first] = x
    if (x.length === 1 && first !== undefined) return first
    const key = x.join()
    const joined = this.#joined.get(key) ?? this.graph.emit('Concat', x, timeAxis)
    this.#joined.set(key, joined)
    return joined
  }

  reshape(x: string, dims: readonly number[]): string {
    return this.graph.emit('Reshape', [x, this.#integers(dims)])
  }

  /** Rows [from, to); negative positions count from the end. */
  slice(x: string, from: number, to: number): string {
    return this.sliceAt(x, this.#integers([from]), this.#integers([to]))
  }

  /** Rows between two positions that are known at run time, each an int64 tensor [1]. */
  sliceAt(x: string, from: string, to: string): string {
    return this.graph.emit('Slice', [x, from, to, this.#integers([0])])
  }

  channels(x: string, from: number, to: number): string {
    return this.graph.emit('Slice', [x, this.#integers([from]), this.#integers([to]), this.#integers([1])])
  }

  vector(values: Float32Array, name: string): string {
    return this.graph.define(name, floats(values))
  }

  number(value: number): string {
    return this.graph.define(`number:${value}`, scalar(value))
  }

  #each(op: string, a: Signal, b: Operand): Signal {
    if (typeof b === 'string') return a.map((piece) => this.graph.emit(op, [piece, b]))
    assert.equal(a.length, b.length)
    return a.map((piece, index) => this.graph.emit(op, [piece, b[index] ?? '']))
  }

  #quantize(x: Signal): QuantizedRows {
    const signal = this.joined(x)
    const known = this.#quantized.get(signal)
    if (known !== undefined) return known
    const [rows = '', scale = '', zero = ''] = this.graph.emitAll('DynamicQuantizeLinear', [signal], { outputs: 3 })
    const quantized = { rows, scale, zero }
    this.#quantized.set(signal, quantized)
    return quantized
  }

  #pad(rows: string, before: number, after: number, value?: string): string {
    const ends = this.#integers([before, 0, after, 0])
    return this.graph.emit('Pad', value === undefined ? [rows, ends] : [rows, ends, value])
  }

  /** int32 [rows, taps], in pieces: which rows of the padded signal each output row reads. */
  #tapPositions(taps: number, dilation: number, pieces: number): Signal {
    assert.ok(this.#clock, 'a convolution needs the length of its signal')
    const { rowNumbers, tapPositions } = this.#clock
    const key = `${taps}:${dilation}:${pieces}`
    const known = tapPositions.get(key)
    if (known !== undefined) return known
    const offsets = Int32Array.from({ length: taps }, (_, tap) => tap * dilation)
    const shifts = this.graph.define(`taps:${taps}:${dilation}`, { dims: [1, taps], values: offsets })
    const positions = this.split([this.graph.emit('Add', [rowNumbers, shifts])], pieces)
    tapPositions.set(key, positions)
    return positions
  }

  #product(
    rows: string,
    rowScale: string,
    rowZero: string,
    layer: { readonly weights: WeightMatrix; readonly bias: Float32Array },
    name: string,
    affine?: ColumnAffine,
  ): string {
    const [matrix, zero] = this.#weights(layer.weights, name)
    const scale = affine?.scale ?? this.graph.define(`${name}.scale`, scaleTensor(layer.weights.scale))
    const bias = affine?.bias ?? this.vector(layer.bias, `${name}.bias`)
    const inputs = [rows, matrix, rowScale, scale, rowZero, zero, bias]
    return this.graph.emit('MatMulIntegerToFloat', inputs, { domain: 'com.microsoft' })
  }

  #weights({ values, rows, columns, zeroPoint }: WeightMatrix, name: string): [matrix: string, zero: string] {
    const dims = [rows, columns]
    if (this.#form === 'fast') {
      const zero = this.graph.define(`zero:${zeroPoint}`, { dims: [], values: Int8Array.of(zeroPoint) })
      return [this.graph.define(`${name}.weight`, { dims, values }), zero]
    }
    const unsigned = Uint8Array.from(values, (value) => value + UNSIGNED_OFFSET)
    const zero = { dims: [], values: Uint8Array.of(zeroPoint + UNSIGNED_OFFSET) }
    return [
      this.graph.define(`${name}.weight`, { dims, values: unsigned }),
      this.graph.define(`zero:u${zeroPoint}`, zero),
    ]
  }

  #integer(value: number): string {
    return this.graph.define(`integer:${value}`, integers([value], []))
  }

  #integers(values: readonly number[]): string {
    return this.graph.define(`integers:${values.join(',')}`, integers(values))
  }
}

/** A signal in 8 bits: value = (row - zero) × scale, both measured at run time. */
interface QuantizedRows {
  readonly rows: string
  readonly scale: string
  readonly zero: string
}

/** A rate at which signals run side by side. */
interface Clock {
  /** Rows of a signal, float32 [1]. */
  readonly length: string
  /** int32 [rows, 1]. */
  readonly rowNumbers: string
  readonly tapPositions: Map<string, Signal>
}

const timeAxis = { attributes: { axis: { int: 0 } } }
const channelAxis = { attributes: { axis: { int: 1 } } }

function scaleTensor(scale: Float32Array): Tensor {
  return scale.length === 1 ? scalar(scale[0] ?? 0) : floats(scale)
}

function repeat(values: Float32Array, times: number): Float32Array {
  const repeated = new Float32Array(values.length * times)
  for (let time = 0; time < times; time++) repeated.set(values, time * values.length)
  return repeated
}
