import assert from 'node:assert/strict'
import onnxProto, { type onnx } from 'onnx-proto'
import { decodeTensor, encodeTensor, type Tensor } from './tensor.ts'
import type { WeightsFile } from './weights-file.ts'

const { ModelProto, AttributeProto } = onnxProto.onnx
const OPSETS = [
  { domain: '', version: 20 },
  { domain: 'com.microsoft', version: 1 },
]
const IR_VERSION = 9

export interface GraphNode {
  readonly op: string
  readonly domain: string
  readonly name: string
  inputs: string[]
  outputs: string[]
  readonly attributes: readonly onnx.IAttributeProto[]
}

/** A named end of a graph. A dimension is a number, or a name for one that varies from run to run. */
export interface Port {
  readonly name: string
  /** Element type, as ONNX numbers them. */
  readonly type: number
  readonly dims: readonly (number | string)[]
}

export interface EmitOptions {
  readonly attributes?: Readonly<Record<string, AttributeValue>>
  readonly domain?: string
  /** How many outputs; `emit` returns the first, `emitAll` all of them. */
  readonly outputs?: number
}
export type AttributeValue =
  | { int: number }
  | { float: number }
  | { ints: readonly number[] }
  | { text: string }
  /** The body of a loop or a branch. It sees the tensors of the graph around it. */
  | { graph: Graph }

/**
 * An ONNX graph that can be searched, cut, extended and written back. Tensors are known by name; a tensor is a constant, an
 * input of the graph, or one output of one node.
 */
export class Graph {
  readonly constants = new Map<string, Tensor>()
  nodes: GraphNode[] = []
  inputs: Port[] = []
  outputs: Port[] = []
  #producers: Map<string, GraphNode> | undefined
  #emitted = 0

  static parse(bytes: Uint8Array): Graph {
    const { graph: message } = ModelProto.decode(bytes)
    assert.ok(message, 'the file holds no graph')
    const graph = new Graph()
    for (const tensor of message.initializer ?? []) graph.constants.set(tensor.name ?? '', decodeTensor(tensor))
    graph.nodes = (message.node ?? []).map(decodeNode)
    graph.inputs = (message.input ?? []).map(decodePort)
    graph.outputs = (message.output ?? []).map(decodePort)
    return graph
  }

  /**
   * Sorts the nodes, leaves out what no output needs, and encodes the rest. With `weights`, large constants go there, and the file
   * names it as its neighbour.
   */
  serialize(weights?: WeightsFile): Uint8Array {
    const graph = this.encode(weights)
    const model = ModelProto.create({ irVersion: IR_VERSION, producerName: 'syrinx', opsetImport: OPSETS, graph })
    return ModelProto.encode(model).finish()
  }

  /** The graph without a model around it, as a body of another one's node. */
  encode(weights?: WeightsFile): onnx.IGraphProto {
    const nodes = this.#sorted()
    const used = new Set(nodes.flatMap((node) => node.inputs))
    const constants = [...this.constants].filter(([name]) => used.has(name))
    return {
      name: 'syrinx',
      node: nodes.map(encodeNode),
      initializer: constants.map(([name, tensor]) => weights?.place(name, tensor) ?? encodeTensor(name, tensor)),
      input: this.inputs.map(encodePort),
      output: this.outputs.map(encodePort),
    }
  }

  node(name: string): GraphNode {
    const found = this.nodes.find((node) => node.name === name)
    assert.ok(found, `the graph has no node ${name}`)
    return found
  }

  producer(tensor: string): GraphNode | undefined {
    this.#producers ??= new Map(this.nodes.flatMap((node) => node.outputs.map((output) => [output, node])))
    return this.#producers.get(tensor)
  }

  consumers(tensor: string): GraphNode[] {
    return this.nodes.filter((node) => node.inputs.includes(tensor))
  }

  constant(name: string): Tensor {
    const found = this.constants.get(name)
    assert.ok(found, `the graph has no constant ${name}`)
    return found
  }

  /** Adds a constant under `name`, or under a name of its own when that one is taken by other values. */
  define(name: string, tensor: Tensor): string {
    const known = this.constants.get(name)
    if (known !== undefined && sameTensor(known, tensor)) return name
    const free = known === undefined ? name : `${name}#${this.constants.size}`
    this.constants.set(free, tensor)
    return free
  }

  /** Adds a node after all others and returns the name of its output. */
  emit(op: string, inputs: readonly string[], options: EmitOptions = {}): string {
    const [first] = this.emitAll(op, inputs, options)
    assert.ok(first)
    return first
  }

  emitAll(op: string, inputs: readonly string[], options: EmitOptions = {}): string[] {
    this.#emitted++
    const name = `${op}_${this.#emitted}`
    const outputs = Array.from({ length: options.outputs ?? 1 }, (_, index) => `${name}:${index}`)
    this.add({
      op,
      domain: options.domain ?? '',
      name,
      inputs: [...inputs],
      outputs,
      attributes: Object.entries(options.attributes ?? {}).map(([key, value]) => encodeAttribute(key, value)),
    })
    return outputs
  }

  add(node: GraphNode): void {
    this.nodes.push(node)
    this.#producers = undefined
  }

  /** Gives a tensor a second name, for an output. */
  name(tensor: string, output: string): void {
    this.add({ op: 'Identity', domain: '', name: output, inputs: [tensor], outputs: [output], attributes: [] })
  }

  /** Makes every node that read `from` read `to` instead. */
  redirect(from: string, to: string): void {
    for (const node of this.nodes) node.inputs = node.inputs.map((input) => (input === from ? to : input))
  }

  /** Gives the graph new ends. Inputs that name an inner tensor replace whatever computed it. */
  cut(inputs: readonly Port[], outputs: readonly Port[]): void {
    const replaced = new Set(inputs.map((port) => port.name))
    for (const node of this.nodes) {
      node.outputs = node.outputs.map((output) => (replaced.has(output) ? `${output}#cut` : output))
    }
    this.inputs = [...inputs]
    this.outputs = [...outputs]
    this.#producers = undefined
  }

  #sorted(): GraphNode[] {
    const order: GraphNode[] = []
    const done = new Set<GraphNode>()
    // Depth first with an explicit stack: the graph is thousands of nodes deep.
    const stack = this.outputs.map((port) => ({ node: this.producer(port.name), inputsDone: false }))
    for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
      const { node } = entry
      if (node === undefined || done.has(node)) continue
      if (entry.inputsDone) {
        done.add(node)
        order.push(node)
        continue
      }
      stack.push({ node, inputsDone: true })
      for (const input of node.inputs) stack.push({ node: this.producer(input), inputsDone: false })
    }
    return order
  }
}

function sameTensor(a: Tensor, b: Tensor): boolean {
  if (a === b) return true
  return (
    a.values.constructor === b.values.constructor &&
    a.dims.length === b.dims.length &&
    a.dims.every((dim, index) => dim === b.dims[index]) &&
    a.values.every((value, index) => Object.is(value, b.values[index]))
  )
}

function decodeNode(message: onnx.INodeProto): GraphNode {
  return {
    op: message.opType ?? '',
    domain: message.domain ?? '',
    name: message.name ?? '',
    inputs: [...(message.input ?? [])],
    outputs: [...(message.output ?? [])],
    attributes: message.attribute ?? [],
  }
}

function encodeNode(node: GraphNode): onnx.INodeProto {
  return {
    opType: node.op,
    domain: node.domain,
    name: node.name,
    input: node.inputs,
    output: node.outputs,
    attribute: [...node.attributes],
  }
}

function encodeAttribute(name: string, value: AttributeValue): onnx.IAttributeProto {
  const { AttributeType } = AttributeProto
  if ('int' in value) return { name, type: AttributeType.INT, i: value.int }
  if ('float' in value) return { name, type: AttributeType.FLOAT, f: value.float }
  if ('ints' in value) return { name, type: AttributeType.INTS, ints: [...value.ints] }
  if ('graph' in value) return { name, type: AttributeType.GRAPH, g: value.graph.encode() }
  return { name, type: AttributeType.STRING, s: new TextEncoder().encode(value.text) }
}

function decodePort(message: onnx.IValueInfoProto): Port {
  const tensor = message.type?.tensorType
  return {
    name: message.name ?? '',
    type: tensor?.elemType ?? 0,
    dims: (tensor?.shape?.dim ?? []).map((dim) => dim.dimParam || Number(dim.dimValue ?? 0)),
  }
}

function encodePort(port: Port): onnx.IValueInfoProto {
  const dim = port.dims.map((size) => (typeof size === 'number' ? { dimValue: size } : { dimParam: size }))
  return { name: port.name, type: { tensorType: { elemType: port.type, shape: { dim } } } }
}
