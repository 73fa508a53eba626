import { type AttributeValue, Graph } from '../onnx/graph.ts'
import { BOOL, FLOAT32, INT64, integers } from '../onnx/tensor.ts'
import { Layers, type WeightForm } from './layers.ts'
import type { Linear, ShippedWeights, WeightMatrix } from './weights.ts'

const PATH = '/encoder/bert/encoder/albert_layer_groups.0/albert_layers.0'
const PARAMETERS = 'encoder.bert.encoder.albert_layer_groups.0.albert_layers.0'
const LAYERS = 12
const HEADS = 12
const WIDTH = 768
const EPSILON = 1e-12

const INPUT = '/encoder/bert/encoder/embedding_hidden_mapping_in/Add_output_0'
const OUTPUT = `${PATH}/full_layer_layer_norm_${LAYERS - 1}/LayerNormalization_output_0`

/**
 * Rolls up the text model (ALBERT: Lan et al. 2020), whose twelve layers have the same weights: the shipped graph holds the layer
 * twelve times, and a session would rearrange and keep the weights as often. Here one layer is the body of a loop.
 */
export function rollUpAlbert(shipped: Graph, weights: ShippedWeights, form: WeightForm): void {
  const times = shipped.define('albert.layers', integers([LAYERS], []))
  const body = albertLayer(weights, form)
  const [rolled = ''] = shipped.emitAll('Loop', [times, '', INPUT], { attributes: { body: { graph: body } } })
  shipped.redirect(OUTPUT, rolled)
}

/** Loop body: iteration, condition, x [1, n, 768] → condition, x [1, n, 768]. */
function albertLayer(weights: ShippedWeights, form: WeightForm): Graph {
  const graph = new Graph()
  const layers = new Layers(graph, form)
  const linear = (part: string) =>
    weights.linear(`${PATH}/${part}/MatMul_quant`, `${PARAMETERS}.${part.replaceAll('/', '.')}.bias`)
  const sequence = (rows: string) => layers.reshape(rows, [1, -1, WIDTH])
  // As a sum and a normalisation apart, which the reshaping between them keeps from being fused: the fused kernel takes ten times as long.
  const norm = (rows: string, residual: string, part: string) =>
    graph.emit(
      'LayerNormalization',
      [
        sequence(graph.emit('Add', [rows, residual])),
        layers.vector(weights.floats(`${PARAMETERS}.${part}.weight`), `${part}.gain`),
        layers.vector(weights.floats(`${PARAMETERS}.${part}.bias`), `${part}.shift`),
      ],
      { attributes: { epsilon: { float: EPSILON } } },
    )

  const x = 'x'
  const projections = ['query', 'key', 'value'].map((part) => linear(`attention/${part}`))
  const rows = layers.reshape(x, [-1, WIDTH])
  const projected = layers.connect(rows, sideBySide(projections), 'attention')
  const parts = graph.emitAll('Split', [projected], {
    outputs: 3,
    attributes: { axis: { int: 1 }, num_outputs: { int: 3 } },
  })
  const attended = graph.emit('MultiHeadAttention', parts.map(sequence), microsoft({ num_heads: { int: HEADS } }))
  const dense = layers.connect(layers.reshape(attended, [-1, WIDTH]), linear('attention/dense'), 'dense')
  const attention = layers.reshape(norm(dense, rows, 'attention.LayerNorm'), [-1, WIDTH])

  const wide = layers.connect(attention, linear('ffn'), 'ffn')
  const narrow = layers.connect(graph.emit('FastGelu', [wide], microsoft({})), linear('ffn_output'), 'ffn_output')
  graph.name(norm(narrow, attention, 'full_layer_layer_norm'), 'next')
  graph.name('condition', 'goes_on')

  graph.inputs = [
    { name: 'iteration', type: INT64, dims: [] },
    { name: 'condition', type: BOOL, dims: [] },
    { name: x, type: FLOAT32, dims: [1, 'tokens', WIDTH] },
  ]
  graph.outputs = [
    { name: 'goes_on', type: BOOL, dims: [] },
    { name: 'next', type: FLOAT32, dims: [1, 'tokens', WIDTH] },
  ]
  return graph
}

function microsoft(attributes: Readonly<Record<string, AttributeValue>>) {
  return { domain: 'com.microsoft', attributes }
}

/** One layer whose outputs are those of several layers of the same input. */
function sideBySide(linears: readonly Linear[]): Linear {
  const widths = linears.map(({ weights }) => weights.columns)
  const columns = widths.reduce((sum, width) => sum + width, 0)
  const rows = linears[0]?.weights.rows ?? 0
  const values = new Int8Array(rows * columns)
  const [scale, bias] = [new Float32Array(columns), new Float32Array(columns)]
  let at = 0
  for (const { weights, bias: part } of linears) {
    for (let row = 0; row < rows; row++) {
      values.set(weights.values.subarray(row * weights.columns, (row + 1) * weights.columns), row * columns + at)
    }
    scale.set(weights.scale, at)
    bias.set(part, at)
    at += weights.columns
  }
  const weights: WeightMatrix = { values, rows, columns, scale, zeroPoint: 0 }
  return { weights, bias }
}
