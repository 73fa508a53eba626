import { integers } from '../onnx/tensor.ts'
import type { ColumnAffine, Layers, Signal } from './layers.ts'
import type { Convolution, Linear } from './weights.ts'

/**
 * A style-adaptive instance normalisation: every channel is brought to mean 0 and deviation 1 over time, then scaled and shifted
 * by amounts that a linear layer derives from the style vector.
 *
 *   y = (x - mean) / deviation × (1 + scale(style)) + shift(style)          then × gain, where the next layer wants it
 */
export interface AdaptiveNorm {
  readonly name: string
  /** style [128] → scale and shift, one of each a channel. */
  readonly style: Linear
  /** Factor a channel on the result. */
  readonly gain?: Float32Array
}

/** Where the statistics of the normalisations come from. Calls arrive in the same order for every source. */
export interface Normalisation {
  normalise(x: Signal, norm: AdaptiveNorm): Signal
  /** Convolves, then normalises the result. */
  normaliseConvolution(x: Signal, layer: Convolution, norm: AdaptiveNorm): Signal
  /** Adds the mean over time of a residual branch, one value for each of its `channels`. */
  addSteady(x: Signal, name: string, channels: number, branch: () => Signal): Signal
}

const EPSILON = 1e-5

/** Measures the statistics of the signal that is being rendered, as the model was trained to. */
export class MeasuredNormalisation implements Normalisation {
  readonly #layers: Layers
  readonly #style: string
  readonly #conditioning: string[] = []

  /** `style`: float32 [1, 128]. */
  constructor(layers: Layers, style: string) {
    this.#layers = layers
    this.#style = style
  }

  /** What a `FixedNormalisation` of the same layers needs to repeat these normalisations, as one vector. */
  conditioning(): string {
    return this.#layers.graph.emit('Concat', this.#conditioning, { attributes: { axis: { int: 0 } } })
  }

  normalise(x: Signal, norm: AdaptiveNorm): Signal {
    const { graph } = this.#layers
    const { centred, mean, scale, shift } = this.#measure(x, norm)
    this.#conditioning.push(scale, graph.emit('Sub', [shift, graph.emit('Mul', [mean, scale])]))
    return this.#layers.add(this.#layers.scale(centred, scale), shift)
  }

  normaliseConvolution(x: Signal, layer: Convolution, norm: AdaptiveNorm): Signal {
    const layers = this.#layers
    const { graph } = layers
    const { centred, mean, scale, shift } = this.#measure(layers.convolve(x, layer, norm.name), norm)
    const columnScale = graph.emit('Mul', [scale, layers.vector(layer.weights.scale, `${norm.name}.columnScale`)])
    const offset = graph.emit('Sub', [layers.vector(layer.bias, `${norm.name}.bias`), mean])
    this.#conditioning.push(columnScale, graph.emit('Add', [graph.emit('Mul', [offset, scale]), shift]))
    return layers.add(layers.scale(centred, scale), shift)
  }

  addSteady(x: Signal, _name: string, _channels: number, branch: () => Signal): Signal {
    // Fixed statistics have no use for those inside the branch.
    const before = this.#conditioning.length
    const residual = branch()
    this.#conditioning.length = before
    const mean = this.#layers.meanOverTime(residual, 'ReduceSum')
    this.#conditioning.push(mean)
    return this.#layers.add(x, mean)
  }

  /** All but `centred` are vectors, one value a channel. */
  #measure(x: Signal, norm: AdaptiveNorm): { centred: Signal; mean: string; scale: string; shift: string } {
    const layers = this.#layers
    const { graph } = layers
    const mean = layers.meanOverTime(x, 'ReduceSum')
    const centred = layers.subtract(x, mean)
    const variance = layers.meanOverTime(centred, 'ReduceSumSquare')
    const deviation = graph.emit('Sqrt', [graph.emit('Add', [variance, layers.number(EPSILON)])])

    const styled = layers.reshape(layers.connect(this.#style, norm.style, `${norm.name}.style`), [-1])
    const [styleScale = '', shift = ''] = graph.emitAll('Split', [styled], {
      outputs: 2,
      attributes: { axis: { int: 0 }, num_outputs: { int: 2 } },
    })
    const scale = graph.emit('Div', [graph.emit('Add', [styleScale, layers.number(1)]), deviation])
    if (norm.gain === undefined) return { centred, mean, scale, shift }
    const gain = layers.vector(norm.gain, `${norm.name}.gain`)
    return { centred, mean, scale: graph.emit('Mul', [scale, gain]), shift: graph.emit('Mul', [shift, gain]) }
  }
}

/**
 * Uses statistics that were measured before, so that a short window sounds as it would inside the whole. Behind a convolution they
 * cost nothing: they become the scale and the bias of its product.
 */
export class FixedNormalisation implements Normalisation {
  readonly #layers: Layers
  readonly #sizes: number[] = []
  readonly #vectors: string[] = []

  constructor(layers: Layers) {
    this.#layers = layers
  }

  /** Connects `conditioning`, the vector of a `MeasuredNormalisation`; call it last. Returns its length. */
  connect(conditioning: string): number {
    const { graph } = this.#layers
    const sizes = graph.define('conditioning.sizes', integers(this.#sizes))
    graph.add({
      op: 'Split',
      domain: '',
      name: 'conditioning.split',
      inputs: [conditioning, sizes],
      outputs: [...this.#vectors],
      attributes: [],
    })
    return this.#sizes.reduce((sum, size) => sum + size, 0)
  }

  normalise(x: Signal, norm: AdaptiveNorm): Signal {
    const { scale, bias } = this.#take(norm)
    return this.#layers.add(this.#layers.scale(x, scale), bias)
  }

  normaliseConvolution(x: Signal, layer: Convolution, norm: AdaptiveNorm): Signal {
    return this.#layers.convolve(x, layer, norm.name, this.#take(norm))
  }

  addSteady(x: Signal, name: string, channels: number): Signal {
    return this.#layers.add(x, this.#given(`${name}.given.mean`, channels))
  }

  #take(norm: AdaptiveNorm): ColumnAffine {
    const channels = norm.style.bias.length / 2
    return {
      scale: this.#given(`${norm.name}.given.scale`, channels),
      bias: this.#given(`${norm.name}.given.bias`, channels),
    }
  }

  /** The next `size` values of the conditioning. */
  #given(name: string, size: number): string {
    this.#sizes.push(size)
    this.#vectors.push(name)
    return name
  }
}
