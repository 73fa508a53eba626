import assert from 'node:assert/strict'
import type { Graph, GraphNode } from '../onnx/graph.ts'
import type { Tensor } from '../onnx/tensor.ts'

/** A convolution over time as a matrix product: rows are (tap, input channel), columns output channels. */
export interface Convolution {
  readonly weights: WeightMatrix
  readonly bias: Float32Array
  readonly taps: number
  readonly dilation: number
}

/**
 * Integer weights [rows, columns] in 7 bits: value = (weight - zeroPoint) × scale. Seven bits, because the AVX2 kernels add two
 * products of an unsigned byte in 16 bits: 255 × 64 × 2 still fits, 255 × 127 × 2 saturates.
 */
export interface WeightMatrix {
  readonly values: Int8Array
  readonly rows: number
  readonly columns: number
  /** One for all, or one a column. */
  readonly scale: Float32Array
  readonly zeroPoint: number
}

/** A fully connected layer; column c of the product is output c. */
export interface Linear {
  readonly weights: WeightMatrix
  readonly bias: Float32Array
}

const UNSIGNED_TO_SIGNED = 64

/** Reads the layers of the shipped graph by the path of the module they came from, as in `/decoder/decoder/encode/conv1`. */
export class ShippedWeights {
  readonly #graph: Graph
  readonly #nodes: ReadonlyMap<string, GraphNode>

  constructor(graph: Graph) {
    this.#graph = graph
    this.#nodes = new Map(graph.nodes.map((node) => [node.name, node]))
  }

  has(node: string): boolean {
    return this.#nodes.has(node)
  }

  /** Shipped as `ConvInteger` with unsigned weights of one scale, and a bias that the graph rounds to integers. */
  convolution(path: string): Convolution {
    const node = this.#node(`${path}/Conv_quant`)
    const [, weightName, , zeroName] = node.inputs
    const weight = this.#constant(weightName)
    const [outputs = 0, inputs = 0, taps = 0] = weight.dims
    const zeroPoint = Number(this.#constant(zeroName).values[0]) - UNSIGNED_TO_SIGNED
    const values = new Int8Array(taps * inputs * outputs)
    let at = 0
    for (let output = 0; output < outputs; output++) {
      for (let input = 0; input < inputs; input++) {
        for (let tap = 0; tap < taps; tap++) {
          const value = Number(weight.values[at++])
          assert.ok(value < 128, `${path} has a weight of more than seven bits`)
          values[(tap * inputs + input) * outputs + output] = value - UNSIGNED_TO_SIGNED
        }
      }
    }
    return {
      weights: { values, rows: taps * inputs, columns: outputs, scale: this.#weightScale(node), zeroPoint },
      bias: this.#bias(node) ?? new Float32Array(outputs),
      taps,
      dilation: attributeInts(node, 'dilations')[0] ?? 1,
    }
  }

  /** Shipped as `MatMulInteger` with signed weights, one scale a column. */
  linear(path: string, bias: string): Linear {
    const node = this.#node(path)
    const weight = this.#constant(node.inputs[1])
    const [rows = 0, columns = 0] = weight.dims
    assert.ok(weight.values instanceof Int8Array, `${path} has weights of another type`)
    assert.ok(
      this.#constant(node.inputs[3]).values.every((zero) => Number(zero) === 0),
      `${path} has a zero point`,
    )
    return {
      weights: { values: weight.values, rows, columns, scale: this.#weightScale(node), zeroPoint: 0 },
      bias: this.floats(bias),
    }
  }

  /** Weights of a layer that is shipped in float32: the values as they are, with their dimensions. */
  operand(node: string, input: number): Tensor {
    return this.#constant(this.#node(node).inputs[input])
  }

  floats(name: string): Float32Array {
    const { values } = this.#graph.constant(name)
    assert.ok(values instanceof Float32Array, `${name} is not float32`)
    return values
  }

  constant(name: string): Tensor {
    return this.#graph.constant(name)
  }

  node(name: string): GraphNode {
    return this.#node(name)
  }

  /** The product of both scales is made in a node of its own: the weight's is the constant one. */
  #weightScale(product: GraphNode): Float32Array {
    const weight = product.inputs[1] ?? ''
    const scale = weight.replace(/_quantized$/, '_scale')
    return this.floats(scale)
  }

  /** product + round(bias / scale): the bias is the constant behind the division. */
  #bias(product: GraphNode): Float32Array | undefined {
    const [sum] = this.#graph.consumers(product.outputs[0] ?? '')
    if (sum?.op !== 'Add') return undefined
    let tensor = sum.inputs.find((input) => input !== product.outputs[0]) ?? ''
    for (let node = this.#graph.producer(tensor); node !== undefined; node = this.#graph.producer(tensor)) {
      tensor = node.inputs[0] ?? ''
    }
    return this.floats(tensor)
  }

  #node(name: string): GraphNode {
    const node = this.#nodes.get(name)
    assert.ok(node, `the shipped graph has no node ${name}`)
    return node
  }

  #constant(name: string | undefined): Tensor {
    return this.#graph.constant(name ?? '')
  }
}

/** Rounds float32 weights [rows, columns] to seven bits, one scale a column. */
export function quantizeColumns(values: Float32Array, rows: number, columns: number): WeightMatrix {
  const scale = new Float32Array(columns)
  for (let at = 0; at < values.length; at++) {
    const column = at % columns
    scale[column] = Math.max(scale[column] ?? 0, Math.abs(values[at] ?? 0) / 63)
  }
  const quantized = Int8Array.from(values, (value, at) => Math.round(value / (scale[at % columns] || 1)))
  return { values: quantized, rows, columns, scale, zeroPoint: 0 }
}

function attributeInts(node: GraphNode, name: string): number[] {
  return (node.attributes.find((attribute) => attribute.name === name)?.ints ?? []).map(Number)
}
