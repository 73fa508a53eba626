import { describe, expect, it } from 'vitest'
import { Graph } from '../../../models/onnx/graph.ts'
import { decodeTensor, encodeTensor, FLOAT32, floats, integers, scalar } from '../../../models/onnx/tensor.ts'
import { WeightsFile } from '../../../models/onnx/weights-file.ts'
import { runGraph } from './run-graph.ts'

const row = { values: Float32Array.of(1, 2, 3), columns: 3 }

/** y = (x + 1) × 2, and a branch that no output needs. */
function sample(): Graph {
  const graph = new Graph()
  const sum = graph.emit('Add', ['x', graph.define('one', scalar(1))])
  graph.name(graph.emit('Mul', [sum, graph.define('two', scalar(2))]), 'y')
  graph.emit('Neg', [sum])
  graph.inputs = [{ name: 'x', type: FLOAT32, dims: ['rows', 3] }]
  graph.outputs = [{ name: 'y', type: FLOAT32, dims: ['rows', 3] }]
  return graph
}

describe('a graph', () => {
  it('computes the same after being written and read', async () => {
    const [before] = await runGraph(sample(), { x: row }, ['y'])
    const [after] = await runGraph(Graph.parse(sample().serialize()), { x: row }, ['y'])
    expect([...(before ?? [])]).toEqual([4, 6, 8])
    expect(after).toEqual(before)
  })

  it('leaves out nodes and constants that no output needs', () => {
    const graph = sample()
    graph.define('unused', scalar(9))
    const written = Graph.parse(graph.serialize())
    expect(written.nodes.map((node) => node.op)).toEqual(['Add', 'Mul', 'Identity'])
    expect([...written.constants.keys()].sort()).toEqual(['one', 'two'])
  })

  it('writes nodes in an order that can be run, whatever order they were added in', async () => {
    const graph = sample()
    graph.nodes.reverse()
    const [result] = await runGraph(graph, { x: row }, ['y'])
    expect([...(result ?? [])]).toEqual([4, 6, 8])
  })

  it('can be cut at an inner tensor, which becomes an input', async () => {
    const graph = sample()
    const [sum = ''] = graph.nodes[0]?.outputs ?? []
    graph.cut([{ name: sum, type: FLOAT32, dims: ['rows', 3] }], graph.outputs)
    const [result] = await runGraph(graph, { [sum]: row }, ['y'])
    expect([...(result ?? [])]).toEqual([2, 4, 6])
  })

  it('redirects all readers of a tensor', async () => {
    const graph = sample()
    const [sum = ''] = graph.nodes[0]?.outputs ?? []
    graph.redirect(sum, 'x')
    const [result] = await runGraph(graph, { x: row }, ['y'])
    expect([...(result ?? [])]).toEqual([2, 4, 6])
  })

  it('keeps a constant once, and under a name of its own when the name has other values', () => {
    const graph = new Graph()
    expect(graph.define('c', scalar(1))).toBe('c')
    expect(graph.define('c', scalar(1))).toBe('c')
    expect(graph.define('c', scalar(2))).not.toBe('c')
  })

  it('says which node or constant is missing', () => {
    expect(() => sample().node('absent')).toThrow('no node absent')
    expect(() => sample().constant('absent')).toThrow('no constant absent')
  })
})

describe('a constant', () => {
  it.each([
    floats([1.5, -2]),
    integers([-1, Number.MAX_SAFE_INTEGER]),
    { dims: [2, 1], values: Int8Array.of(-128, 127) },
    { dims: [], values: Uint8Array.of(255) },
    { dims: [1], values: Int32Array.of(-5) },
  ])('survives its message: %o', (tensor) => {
    expect(decodeTensor(encodeTensor('t', tensor))).toEqual(tensor)
  })
})

describe('a weights file', () => {
  it('holds a large constant once for several graphs, and leaves small ones in them', () => {
    const file = new WeightsFile('shared.weights')
    const large = floats(new Float32Array(2_000).fill(0.5))
    const first = file.place('large', large)
    expect(file.place('large', large)).toEqual(first)
    expect(file.place('small', scalar(1))).toBeUndefined()
    expect(file.bytes()).toHaveLength(8_192)
    expect(new Float32Array(file.bytes().buffer, 0, 2_000)).toEqual(large.values)
  })

  it('refuses two different constants of one name', () => {
    const file = new WeightsFile('shared.weights')
    file.place('large', floats(new Float32Array(2_000)))
    expect(() => file.place('large', floats(new Float32Array(2_000).fill(1)))).toThrow('two constants named large')
  })
})
