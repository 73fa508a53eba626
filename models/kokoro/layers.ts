import assert from 'node:assert/strict'
import type { Graph } from './graph.ts'
import { floats, integers, scalar, type Tensor } from './tensor.ts'
import type { Convolution, Linear, WeightMatrix } from './weights.ts'

/**
 * `fast`: signed weights, one instruction for u8 × s8 products where the processor has it. `plain`: the same numbers as unsigned
 * weights, for kernels whose signed products cannot be trusted; slower.
 */
export type WeightForm = 'fast' | 'plain'

/** Scale of every column and the bias of a product, as tensors: replaces a layer's own. */
export interface ColumnAffine {
  readonly scale: string
  readonly bias: string
}

const UNSIGNED_OFFSET = 64
/** `Slice` reads a larger end as the end. */
const TO_END = Number.MAX_SAFE_INTEGER

/**
 * Writes layers into a graph. Signals are [time, channel] throughout: a convolution is then one integer product of rows, and
 * whatever is one number a channel needs no transposition.
 */
export class Layers {
  readonly graph: Graph
  readonly #form: WeightForm
  readonly #quantized = new Map<string, string[]>()

  constructor(graph: Graph, form: WeightForm) {
    this.graph = graph
    this.#form = form
  }

  /** Convolution of stride 1 that keeps the length. */
  convolve(x: string, layer: Convolution, name: string, affine?: ColumnAffine): string {
    const [rows, scale, zero] = this.quantize(x)
    const reach = ((layer.taps - 1) / 2) * layer.dilation
    const columns = this.#windows(rows, zero, layer.taps, layer.dilation, reach)
    return this.#product([columns, scale, zero], layer, name, affine)
  }

  /** x [rows, inputs] → [rows, outputs]. */
  connect(x: string, layer: Linear, name: string): string {
    return this.#product(this.quantize(x), layer, name)
  }

  /** Transposed convolution whose kernel is two strides long. `weight`: float32 [inputs, outputs, 2 × stride]. */
  upsample(x: string, weight: WeightMatrix, bias: Float32Array, stride: number, name: string): string {
    const [rows, scale, zero] = this.quantize(x)
    const outputs = bias.length
    // Every input row writes one stride for itself and one for the row after it, so that output rows read two input rows.
    const padded = this.#pad(rows, 1, 1, zero)
    const pairs = this.concat([this.slice(padded, 1, TO_END), this.slice(padded, 0, -1)])
    const layer = { weights: weight, bias: repeat(bias, stride) }
    const strides = this.#product([pairs, scale, zero], layer, name)
    const flat = this.reshape(strides, [-1, outputs])
    return this.slice(flat, stride / 2, stride / 2 - stride)
  }

  /** Float product x [rows, inputs] × weights [inputs, outputs] + bias. */
  multiply(x: string, weights: Tensor, bias: Float32Array | undefined, name: string): string {
    const product = this.graph.emit('MatMul', [x, this.graph.define(`${name}.weight`, weights)])
    return bias === undefined ? product : this.add(product, this.vector(bias, `${name}.bias`))
  }

  /** Rows of `taps` neighbouring rows each, in float; `before` and `after` rows of zeros are added at the ends. */
  neighbourhoods(x: string, offsets: readonly number[], before: number, after: number): string {
    const padded = this.pad(x, before, after)
    const reach = Math.max(...offsets)
    return this.concat(offsets.map((offset) => this.slice(padded, offset, offset - reach || TO_END)))
  }

  quantize(x: string): [values: string, scale: string, zero: string] {
    const known = this.#quantized.get(x) ?? this.graph.emitAll('DynamicQuantizeLinear', [x], { outputs: 3 })
    this.#quantized.set(x, known)
    const [values, scale, zero] = known
    assert.ok(values !== undefined && scale !== undefined && zero !== undefined)
    return [values, scale, zero]
  }

  add(a: string, b: string): string {
    return this.graph.emit('Add', [a, b])
  }

  subtract(a: string, b: string): string {
    return this.graph.emit('Sub', [a, b])
  }

  scale(a: string, b: string): string {
    return this.graph.emit('Mul', [a, b])
  }

  leakyRelu(x: string, slope: number): string {
    return this.graph.emit('LeakyRelu', [x], { attributes: { alpha: { float: slope } } })
  }

  /** Side by side: channels. */
  concat(parts: readonly string[]): string {
    const [only] = parts
    return parts.length === 1 && only !== undefined ? only : this.graph.emit('Concat', parts, channelAxis)
  }

  /** One after the other: time. */
  concatTime(parts: readonly string[]): string {
    return this.graph.emit('Concat', parts, { attributes: { axis: { int: 0 } } })
  }

  /** Two values a row become two rows. */
  interleave(even: string, odd: string, channels: number): string {
    return this.reshape(this.concat([even, odd]), [-1, channels])
  }

  reshape(x: string, dims: readonly number[]): string {
    return this.graph.emit('Reshape', [x, this.#integers(dims)])
  }

  /** [1, n] → [n]. */
  reshapeVector(x: string): string {
    return this.reshape(x, [-1])
  }

  /** Rows [from, to); negative positions count from the end. */
  slice(x: string, from: number, to: number): string {
    return this.sliceAt(x, this.#integers([from]), this.#integers([to]))
  }

  /** Rows between two positions that are known at run time, each an int64 tensor [1]. */
  sliceAt(x: string, from: string, to: string, axis = 0): string {
    return this.graph.emit('Slice', [x, from, to, this.#integers([axis])])
  }

  channels(x: string, from: number, to: number): string {
    return this.sliceAt(x, this.#integers([from]), this.#integers([to]), 1)
  }

  pad(x: string, before: number, after: number): string {
    return before + after === 0 ? x : this.graph.emit('Pad', [x, this.#integers([before, 0, after, 0])])
  }

  vector(values: Float32Array, name: string): string {
    return this.graph.define(name, floats(values))
  }

  number(value: number): string {
    return this.graph.define(`number:${value}`, scalar(value))
  }

  /** Rows of `taps` neighbouring rows each, `dilation` apart: the convolution's input as a matrix. */
  #windows(rows: string, zero: string, taps: number, dilation: number, reach: number): string {
    if (taps === 1) return rows
    const padded = this.#pad(rows, reach, reach, zero)
    const shifts = Array.from({ length: taps }, (_, tap) => tap * dilation)
    return this.concat(shifts.map((shift) => this.slice(padded, shift, shift - 2 * reach || TO_END)))
  }

  #pad(rows: string, before: number, after: number, zero: string): string {
    return this.graph.emit('Pad', [rows, this.#integers([before, 0, after, 0]), zero])
  }

  #product(
    [rows, scale, zero]: [string, string, string],
    layer: { readonly weights: WeightMatrix; readonly bias: Float32Array },
    name: string,
    affine?: ColumnAffine,
  ): string {
    const { weights } = layer
    const [matrix, matrixZero] = this.#weights(weights, name)
    const matrixScale = affine?.scale ?? this.graph.define(`${name}.scale`, scaleTensor(weights.scale))
    const bias = affine?.bias ?? this.vector(layer.bias, `${name}.bias`)
    return this.graph.emit('MatMulIntegerToFloat', [rows, matrix, scale, matrixScale, zero, matrixZero, bias], {
      domain: 'com.microsoft',
    })
  }

  #weights({ values, rows, columns, zeroPoint }: WeightMatrix, name: string): [string, string] {
    const dims = [rows, columns]
    if (this.#form === 'fast') {
      const zero = this.graph.define(`zero:${zeroPoint}`, { dims: [], values: Int8Array.of(zeroPoint) })
      return [this.graph.define(`${name}.weight`, { dims, values }), zero]
    }
    const unsigned = Uint8Array.from(values, (value) => value + UNSIGNED_OFFSET)
    const zero = this.graph.define(`zero:u${zeroPoint}`, {
      dims: [],
      values: Uint8Array.of(zeroPoint + UNSIGNED_OFFSET),
    })
    return [this.graph.define(`${name}.weight`, { dims, values: unsigned }), zero]
  }

  #integers(values: readonly number[]): string {
    return this.graph.define(`integers:${values.join(',')}`, integers(values))
  }
}

const channelAxis = { attributes: { axis: { int: 1 } } }

function scaleTensor(scale: Float32Array): Tensor {
  return scale.length === 1 ? scalar(scale[0] ?? 0) : floats(scale)
}

function repeat(values: Float32Array, times: number): Float32Array {
  const repeated = new Float32Array(values.length * times)
  for (let time = 0; time < times; time++) repeated.set(values, time * values.length)
  return repeated
}
