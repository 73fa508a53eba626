import { Graph } from '../onnx/graph.ts'
import { FLOAT32, floats, integers, type Tensor } from '../onnx/tensor.ts'

const STATE_WIDTH = 128
/** Short-time spectrum: 256 samples, one every 128, 129 bins. A window and its context give four. */
const HOP = 128
const BINS = 129
const SPECTRA = 4
const CONTEXT_SAMPLES = 64
const GATES = 4

/**
 * Silero VAD for many windows at once, with the weights of the published graph (version 6, 16 kHz):
 *
 *   samples [windows, streams, 576], state [2, streams, 128] → speech [windows, streams], next [2, streams, 128]
 *
 * In it everything in front of the recurrent layer looks at one window alone, so that all windows go through it as the rows of
 * matrix products, and only the recurrent layer takes them one after the other. Convolutions of three taps over four, two and one
 * positions are products, too: most of what such a short convolution reads is its padding.
 */
export function detectorGraph(published: Graph): Graph {
  const graph = new Graph()
  const layers = new Layers(graph, published)
  graph.inputs = [
    { name: 'samples', type: FLOAT32, dims: ['windows', 'streams', HOP * SPECTRA + CONTEXT_SAMPLES] },
    { name: 'state', type: FLOAT32, dims: [2, 'streams', STATE_WIDTH] },
  ]
  graph.outputs = [
    { name: 'speech', type: FLOAT32, dims: ['windows', 'streams'] },
    { name: 'next', type: FLOAT32, dims: [2, 'streams', STATE_WIDTH] },
  ]
  const heard = layers.encode(layers.magnitudes(layers.reshape('samples', [-1, HOP * SPECTRA + CONTEXT_SAMPLES])))
  const streams = graph.emit('Shape', ['samples'], { attributes: { start: { int: 0 }, end: { int: 2 } } })
  const shape = graph.emit('Concat', [streams, layers.integers([STATE_WIDTH])], axis(0))
  const { outputs, next } = layers.remember(graph.emit('Reshape', [heard, shape]))
  graph.name(layers.judge(outputs, streams), 'speech')
  graph.name(next, 'next')
  return graph
}

class Layers {
  readonly #graph: Graph
  readonly #published: Graph

  constructor(graph: Graph, published: Graph) {
    this.#graph = graph
    this.#published = published
  }

  /** Samples [rows, 576] → magnitudes [rows, 4, 129]. The end of a window is its own mirror image. */
  magnitudes(samples: string): string {
    const pads = this.integers([0, 0, 0, CONTEXT_SAMPLES])
    const padded = this.#graph.emit('Pad', [samples, pads], { attributes: { mode: { text: 'reflect' } } })
    const hops = this.reshape(padded, [-1, SPECTRA + 1, HOP])
    const frames = this.#graph.emit(
      'Concat',
      [this.#slice(hops, 0, SPECTRA), this.#slice(hops, 1, SPECTRA + 1)],
      axis(2),
    )
    const basis = transposed(this.#published.constant('model.stft.forward_basis_buffer'), 2 * BINS)
    const spectra = this.#graph.emit('MatMul', [frames, this.#graph.define('basis', basis)])
    const parts = { outputs: 2, attributes: { axis: { int: 2 }, num_outputs: { int: 2 } } } as const
    const [real = '', imaginary = ''] = this.#graph.emitAll('Split', [spectra], parts)
    const squares = [real, imaginary].map((part) => this.#graph.emit('Mul', [part, part]))
    return this.#graph.emit('Sqrt', [this.#graph.emit('Add', squares)])
  }

  /** Magnitudes [rows, 4, 129] → [rows, 128], through positions of 1, 2, 4 and 4 spectra. */
  encode(magnitudes: string): string {
    const padded = this.#graph.emit('Pad', [magnitudes, this.integers([0, 1, 0, 0, 1, 0])])
    const around = [0, 1, 2].map((tap) => this.#slice(padded, tap, tap + SPECTRA))
    const first = this.#product(this.#graph.emit('Concat', around, axis(2)), 0, [0, 1, 2])
    // Stride 2: the left half has its first tap before the first position.
    const left = this.#product(this.#flat(first, 0, 2), 1, [1, 2])
    const right = this.#product(this.#flat(first, 1, 4), 1, [0, 1, 2])
    const third = this.#product(this.#graph.emit('Concat', [left, right], axis(1)), 2, [1, 2])
    return this.#product(third, 3, [1])
  }

  /** [windows, streams, 128] through the recurrent layer. `next`: hidden state and cell of every stream. */
  remember(heard: string): { outputs: string; next: string } {
    const parts = { outputs: 2, attributes: { axis: { int: 0 }, num_outputs: { int: 2 } } } as const
    const [hidden = '', cell = ''] = this.#graph.emitAll('Split', ['state'], parts)
    const [input, recurrent] = ['ih', 'hh'].map((name) => this.#gates(`weight_${name}`, STATE_WIDTH))
    const biases = ['ih', 'hh'].map((name) => this.#gates(`bias_${name}`, 1))
    const weights = [input!, recurrent!].map((values, index) =>
      this.#graph.define(`recurrent.${index}`, { dims: [1, GATES * STATE_WIDTH, STATE_WIDTH], values }),
    )
    const bias = this.#graph.define(
      'recurrent.bias',
      floats(
        biases.flatMap((values) => [...values]),
        [1, 8 * STATE_WIDTH],
      ),
    )
    const [sequence = '', lastHidden = '', lastCell = ''] = this.#graph.emitAll(
      'LSTM',
      [heard, ...weights, bias, '', hidden, cell],
      { outputs: 3, attributes: { hidden_size: { int: STATE_WIDTH } } },
    )
    const next = this.#graph.emit('Concat', [lastHidden, lastCell], axis(0))
    return { outputs: this.#graph.emit('Squeeze', [sequence, this.integers([1])]), next }
  }

  /** [windows, streams, 128] → probabilities [windows, streams]. */
  judge(outputs: string, shape: string): string {
    const weight = floats(this.#values('model.decoder.decoder.2.weight'), [STATE_WIDTH, 1])
    const bias = this.#graph.define('judge.bias', floats(this.#values('model.decoder.decoder.2.bias')))
    const product = this.#graph.emit('MatMul', [
      this.#graph.emit('Relu', [outputs]),
      this.#graph.define('judge.weight', weight),
    ])
    const speech = this.#graph.emit('Sigmoid', [this.#graph.emit('Add', [product, bias])])
    return this.#graph.emit('Reshape', [speech, shape])
  }

  reshape(x: string, dims: readonly number[]): string {
    return this.#graph.emit('Reshape', [x, this.integers(dims)])
  }

  integers(values: readonly number[]): string {
    return this.#graph.define(`integers:${values.join(',')}`, integers(values))
  }

  /** Encoder layer `index` on rows that hold its inputs at `taps`, side by side. */
  #product(rows: string, index: number, taps: readonly number[]): string {
    const name = `model.encoder.${index}.reparam_conv`
    const { dims, values } = this.#published.constant(`${name}.weight`)
    const [outputs = 0, inputs = 0, kernel = 0] = dims
    const matrix = new Float32Array(taps.length * inputs * outputs)
    for (const [part, tap] of taps.entries()) {
      for (let input = 0; input < inputs; input++) {
        for (let output = 0; output < outputs; output++) {
          const value = Number(values[(output * inputs + input) * kernel + tap])
          matrix[(part * inputs + input) * outputs + output] = value
        }
      }
    }
    const weight = this.#graph.define(`${name}:${taps.join('')}`, {
      dims: [taps.length * inputs, outputs],
      values: matrix,
    })
    const bias = this.#graph.define(`${name}.bias`, floats(this.#values(`${name}.bias`)))
    return this.#graph.emit('Relu', [this.#graph.emit('Add', [this.#graph.emit('MatMul', [rows, weight]), bias])])
  }

  /** Positions [from, to) of [rows, positions, 128] side by side: [rows, (to - from) × 128]. */
  #flat(x: string, from: number, to: number): string {
    return this.reshape(this.#slice(x, from, to), [-1, (to - from) * STATE_WIDTH])
  }

  #slice(x: string, from: number, to: number): string {
    return this.#graph.emit('Slice', [x, this.integers([from]), this.integers([to]), this.integers([1])])
  }

  /** The recurrent layer's rows in the order that ONNX has its gates: input, output, forget, cell. */
  #gates(name: string, width: number): Float32Array {
    const values = this.#values(`model.decoder.rnn.${name}`)
    const gate = STATE_WIDTH * width
    const [input, forget, cell, output] = [0, 1, 2, 3].map((index) => values.subarray(index * gate, (index + 1) * gate))
    return Float32Array.from([input, output, forget, cell].flatMap((rows) => [...(rows ?? [])]))
  }

  #values(name: string): Float32Array {
    return Float32Array.from(this.#published.constant(name).values, Number)
  }
}

/** [rows, …] → [the rest, rows]. */
function transposed({ values }: Tensor, rows: number): Tensor {
  const columns = values.length / rows
  const turned = new Float32Array(values.length)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      turned[column * rows + row] = Number(values[row * columns + column])
  }
  return { dims: [columns, rows], values: turned }
}

function axis(index: number) {
  return { attributes: { axis: { int: index } } }
}
