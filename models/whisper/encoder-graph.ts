import { Graph } from '../onnx/graph.ts'
import { FLOAT32 } from '../onnx/tensor.ts'
import { Layers, type LinearForm } from './layers.ts'
import type { ModelFile } from './model-file.ts'
import { readShape } from './shape.ts'

/**
 * What is heard, as keys and values for the decoder's attention:
 *
 *   mel [1, bands, 2n] → key.i and value.i [heads, n, depth] for each layer i of the decoder
 *
 * n is any number of positions, 20 ms each, up to the model's 30 s: the table of positions is cut to it, so that short audio
 * costs little. `layersMax`: only the first layers of each side.
 */
export function encoderGraph(
  file: ModelFile,
  formOf: (layer: string) => LinearForm,
  layersMax = Number.POSITIVE_INFINITY,
): Graph {
  const shape = readShape(file, layersMax)
  const graph = new Graph()
  const layers = new Layers(graph, file, formOf)
  const depth = shape.width / shape.decoderHeads

  const first = layers.gelu(layers.convolve('mel', 'encoder/conv1', 1))
  const second = layers.gelu(layers.convolve(first, 'encoder/conv2', 2))
  const heard = layers.reshape(layers.transpose(second, [0, 2, 1]), [-1, shape.width])
  const table = layers.weight('encoder/position_encodings/encodings')
  let x = layers.add(heard, layers.rows(table, layers.integers([0]), layers.size(heard, 0)))
  for (let index = 0; index < shape.encoderLayers; index++) {
    const path = `encoder/layer_${index}`
    x = layers.add(x, selfAttention(layers, x, `${path}/self_attention`, shape))
    const wide = layers.gelu(layers.linear(layers.normalize(x, `${path}/ffn/layer_norm`), `${path}/ffn/linear_0`))
    x = layers.add(x, layers.linear(wide, `${path}/ffn/linear_1`))
  }
  x = layers.normalize(x, 'encoder/layer_norm')
  for (let index = 0; index < shape.decoderLayers; index++) {
    const both = layers.linear(x, `decoder/layer_${index}/attention/linear_1`)
    const [keys = '', values = ''] = layers.heads(both, 2, shape.decoderHeads)
    graph.name(keys, `key.${index}`)
    graph.name(values, `value.${index}`)
    for (const name of [`key.${index}`, `value.${index}`]) {
      graph.outputs.push({ name, type: FLOAT32, dims: [shape.decoderHeads, 'positions', depth] })
    }
  }
  graph.inputs = [{ name: 'mel', type: FLOAT32, dims: [1, shape.melBands, 'frames'] }]
  return graph
}

/** All positions see each other: the fused operator does it in blocks that stay in the cache. */
function selfAttention(
  layers: Layers,
  x: string,
  path: string,
  { width, encoderHeads }: { readonly width: number; readonly encoderHeads: number },
): string {
  const three = layers.linear(layers.normalize(x, `${path}/layer_norm`), `${path}/linear_0`)
  const batched = layers.emit('Unsqueeze', [three, layers.integers([0])])
  const parts = layers.graph.emitAll('Split', [batched], {
    outputs: 3,
    attributes: { axis: { int: 2 }, num_outputs: { int: 3 } },
  })
  const attended = layers.graph.emit('MultiHeadAttention', parts, {
    domain: 'com.microsoft',
    attributes: { num_heads: { int: encoderHeads } },
  })
  return layers.linear(layers.reshape(attended, [-1, width]), `${path}/linear_1`)
}
