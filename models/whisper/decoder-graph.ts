import { Graph } from '../onnx/graph.ts'
import { FLOAT32, floats, INT64 } from '../onnx/tensor.ts'
import { Layers, type LinearForm } from './layers.ts'
import type { ModelFile } from './model-file.ts'
import { readShape } from './shape.ts'

/** Which attention heads follow the audio: [layer, head]. */
export type AlignmentHeads = readonly (readonly [layer: number, head: number])[]

export const TOKEN_TABLE = 'decoder/embeddings/weight'

/**
 * The next token, from those before:
 *
 *   tokens int64 [n], past.key.i and past.value.i [heads, p, depth], key.i and value.i [heads, positions, depth]
 *     → scores [1, vocabulary] of what follows the last token, present.key.i and present.value.i [heads, p + n, depth],
 *       alignment [alignment heads, n, positions]: where in the audio each token looked
 *
 * p is the number of tokens that were given before, 0 at the start. `layersMax`: only the first layers.
 */
export function decoderGraph(
  file: ModelFile,
  formOf: (layer: string) => LinearForm,
  alignmentHeads: AlignmentHeads,
  layersMax = Number.POSITIVE_INFINITY,
): Graph {
  const shape = readShape(file, layersMax)
  const graph = new Graph()
  const layers = new Layers(graph, file, formOf)
  const heads = shape.decoderHeads
  const depth = shape.width / heads
  const queries = { outputs: shape.width, depth }
  const port = (name: string, positions: string) => ({ name, type: FLOAT32, dims: [heads, positions, depth] })

  graph.inputs = [{ name: 'tokens', type: INT64, dims: ['tokens'] }]
  const before = layers.size('past.key.0', 1)
  const total = layers.add(before, layers.size('tokens', 0))
  const positions = layers.rows(layers.weight('decoder/position_encodings/encodings'), before, total)
  const mask = causalMask(layers, before, total)
  const alignments: string[] = []
  let x = layers.add(layers.embed('tokens', TOKEN_TABLE), positions)
  for (let index = 0; index < shape.decoderLayers; index++) {
    const path = `decoder/layer_${index}`
    const normal = layers.normalize(x, `${path}/self_attention/layer_norm`)
    const projected = layers.linear(normal, `${path}/self_attention/linear_0`, queries)
    const [asking = '', newKeys = '', newValues = ''] = layers.heads(projected, 3, heads)
    const keys = remember(graph, `key.${index}`, newKeys)
    const values = remember(graph, `value.${index}`, newValues)
    const weights = layers.softmax(layers.add(layers.match(asking, keys), mask))
    const said = layers.joinHeads(layers.emit('MatMul', [weights, values]), shape.width)
    x = layers.add(x, layers.linear(said, `${path}/self_attention/linear_1`))

    const asked = layers.linear(
      layers.normalize(x, `${path}/attention/layer_norm`),
      `${path}/attention/linear_0`,
      queries,
    )
    const [questions = ''] = layers.heads(asked, 1, heads)
    const looks = layers.softmax(layers.match(questions, `key.${index}`))
    const chosen = alignmentHeads.filter(([layer]) => layer === index).map(([, head]) => head)
    if (chosen.length > 0) alignments.push(layers.gather(looks, layers.integers(chosen)))
    const heard = layers.joinHeads(layers.emit('MatMul', [looks, `value.${index}`]), shape.width)
    x = layers.add(x, layers.linear(heard, `${path}/attention/linear_2`))

    const wide = layers.gelu(layers.linear(layers.normalize(x, `${path}/ffn/layer_norm`), `${path}/ffn/linear_0`))
    x = layers.add(x, layers.linear(wide, `${path}/ffn/linear_1`))

    for (const kind of ['key', 'value']) {
      graph.inputs.push(port(`past.${kind}.${index}`, 'before'), port(`${kind}.${index}`, 'positions'))
      graph.outputs.push(port(`present.${kind}.${index}`, 'after'))
    }
  }
  const last = layers.normalize(layers.gather(x, layers.integers([-1])), 'decoder/layer_norm')
  graph.name(layers.scores(last, TOKEN_TABLE), 'scores')
  graph.outputs.push({ name: 'scores', type: FLOAT32, dims: [1, shape.vocabulary] })
  graph.name(layers.emit('Concat', alignments, { axis: { int: 0 } }), 'alignment')
  graph.outputs.push({ name: 'alignment', type: FLOAT32, dims: [alignmentHeads.length, 'tokens', 'positions'] })
  return graph
}

/** Appends to what earlier tokens left; the sum is an output for the tokens to come. */
function remember(graph: Graph, name: string, added: string): string {
  const joined = graph.emit('Concat', [`past.${name}`, added], { attributes: { axis: { int: 1 } } })
  graph.name(joined, `present.${name}`)
  return joined
}

/** [tokens, all tokens]: 0 where a token may look, very low at those after it. */
function causalMask(layers: Layers, before: string, total: string): string {
  const scalar = (x: string) => layers.emit('Squeeze', [x])
  const one = scalar(layers.integers([1]))
  const columns = layers.emit('Range', [scalar(layers.integers([0])), scalar(total), one])
  const rows = layers.emit('Unsqueeze', [layers.rows(columns, before, total), layers.integers([1])])
  const hidden = layers.graph.define('hidden', floats([-1e9]))
  return layers.emit('Where', [layers.emit('Greater', [columns, rows]), hidden, layers.number(0)])
}
