import assert from 'node:assert/strict'
import { Graph } from '../onnx/graph.ts'
import { FLOAT32, integers, type Tensor } from '../onnx/tensor.ts'
import { ENCODER_BANDS, ENCODER_FRAMES } from './manifest.ts'

const LAYERS = 3
const WIDTH = 256

/**
 * Who speaks, as a point on the unit sphere: three recurrent layers, of whose last the state at the end counts (Wan et al.,
 * "Generalized End-to-End Loss for Speaker Verification", 2018, as trained for Resemblyzer).
 *
 *   mel [n, 160, 40], powers → embedding [n, 256]
 */
export function encoderGraph(weights: ReadonlyMap<string, Tensor>): Graph {
  const graph = new Graph()
  const constant = (name: string, tensor: Tensor) => graph.define(name, tensor)
  let x = graph.emit('Transpose', ['mel'], { attributes: { perm: { ints: [1, 0, 2] } } })
  let state = ''
  for (let layer = 0; layer < LAYERS; layer++) {
    const gates = (part: string) => inGateOrder(weightOf(weights, `lstm.${part}_l${layer}`))
    const inputs = [
      x,
      constant(`W.${layer}`, withDirection(gates('weight_ih'))),
      constant(`R.${layer}`, withDirection(gates('weight_hh'))),
      constant(`B.${layer}`, withDirection(joined(gates('bias_ih'), gates('bias_hh')))),
    ]
    const [sequence = '', last = ''] = graph.emitAll('LSTM', inputs, {
      attributes: { hidden_size: { int: WIDTH } },
      outputs: 2,
    })
    x = graph.emit('Squeeze', [sequence, constant('direction', integers([1]))])
    state = last
  }
  const heard = graph.emit('Squeeze', [state, constant('first', integers([0]))])
  const linear = ['linear.weight', 'linear.bias'].map((name) => constant(name, weightOf(weights, name)))
  const projected = graph.emit('Gemm', [heard, ...linear], { attributes: { transB: { int: 1 } } })
  const positive = graph.emit('Relu', [projected])
  const unit = graph.emit('LpNormalization', [positive], { attributes: { axis: { int: 1 }, p: { int: 2 } } })
  graph.name(unit, 'embedding')
  graph.inputs = [{ name: 'mel', type: FLOAT32, dims: ['parts', ENCODER_FRAMES, ENCODER_BANDS] }]
  graph.outputs = [{ name: 'embedding', type: FLOAT32, dims: ['parts', WIDTH] }]
  return graph
}

function weightOf(weights: ReadonlyMap<string, Tensor>, name: string): Tensor {
  const found = weights.get(name)
  assert.ok(found, `the checkpoint has no ${name}`)
  return found
}

/** PyTorch has the gates' rows as input, forget, cell, output; ONNX as input, output, forget, cell. */
function inGateOrder({ dims, values }: Tensor): Tensor {
  assert.ok(values instanceof Float32Array)
  const gate = values.length / 4
  const ordered = new Float32Array(values.length)
  for (const [to, from] of [0, 3, 1, 2].entries())
    ordered.set(values.subarray(from * gate, (from + 1) * gate), to * gate)
  return { dims, values: ordered }
}

function joined(first: Tensor, second: Tensor): Tensor {
  return {
    dims: [first.values.length + second.values.length],
    values: Float32Array.of(...floats(first), ...floats(second)),
  }
}

function floats({ values }: Tensor): Float32Array {
  assert.ok(values instanceof Float32Array)
  return values
}

/** ONNX wants the number of directions in front. */
function withDirection({ dims, values }: Tensor): Tensor {
  return { dims: [1, ...dims], values }
}
