import type { Layers } from './layers.ts'
import { floats } from './tensor.ts'
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
  normalise(x: string, norm: AdaptiveNorm): string
  /** Convolves, then normalises the result. */
  normaliseConvolution(x: string, layer: Convolution, norm: AdaptiveNorm): string
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

  normalise(x: string, norm: AdaptiveNorm): string {
    const { centred, mean, scale, shift } = this.#measure(x, norm)
    this.#conditioning.push(scale, this.#layers.subtract(shift, this.#layers.scale(mean, scale)))
    return this.#layers.add(this.#layers.scale(centred, scale), shift)
  }

  normaliseConvolution(x: string, layer: Convolution, norm: AdaptiveNorm): string {
    const layers = this.#layers
    const signal = layers.convolve(x, layer, norm.name)
    const { centred, mean, scale, shift } = this.#measure(signal, norm)
    const columnScale = layers.scale(scale, layers.vector(layer.weights.scale, `${norm.name}.columnScale`))
    const offset = layers.subtract(layers.vector(layer.bias, `${norm.name}.bias`), mean)
    this.#conditioning.push(columnScale, layers.add(layers.scale(offset, scale), shift))
    return layers.add(layers.scale(centred, scale), shift)
  }

  /** All but `centred` are vectors, one value a channel. */
  #measure(x: string, norm: AdaptiveNorm): { centred: string; mean: string; scale: string; shift: string } {
    const layers = this.#layers
    const { graph } = layers
    const overTime = graph.define('axis:time', { dims: [1], values: BigInt64Array.of(0n) })
    const dropped = { attributes: { keepdims: { int: 0 } } }
    const mean = graph.emit('ReduceMean', [x, overTime], dropped)
    const centred = layers.subtract(x, mean)
    const variance = graph.emit('ReduceMean', [layers.scale(centred, centred), overTime], dropped)
    const deviation = graph.emit('Sqrt', [layers.add(variance, layers.number(EPSILON))])

    const styled = layers.reshapeVector(layers.connect(this.#style, norm.style, `${norm.name}.style`))
    const [styleScale = '', styleShift = ''] = graph.emitAll('Split', [styled], {
      outputs: 2,
      attributes: { axis: { int: 0 }, num_outputs: { int: 2 } },
    })
    const factor = graph.emit('Div', [layers.add(styleScale, layers.number(1)), deviation])
    if (norm.gain === undefined) return { centred, mean, scale: factor, shift: styleShift }
    const gain = graph.define(`${norm.name}.gain`, floats(norm.gain))
    return { centred, mean, scale: layers.scale(factor, gain), shift: layers.scale(styleShift, gain) }
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
    const sizes = graph.define('conditioning.sizes', {
      dims: [this.#sizes.length],
      values: BigInt64Array.from(this.#sizes, BigInt),
    })
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

  normalise(x: string, norm: AdaptiveNorm): string {
    const { scale, bias } = this.#take(norm)
    return this.#layers.add(this.#layers.scale(x, scale), bias)
  }

  normaliseConvolution(x: string, layer: Convolution, norm: AdaptiveNorm): string {
    return this.#layers.convolve(x, layer, norm.name, this.#take(norm))
  }

  #take(norm: AdaptiveNorm): { scale: string; bias: string } {
    const channels = norm.style.bias.length / 2
    const scale = `${norm.name}.given.scale`
    const bias = `${norm.name}.given.bias`
    this.#sizes.push(channels, channels)
    this.#vectors.push(scale, bias)
    return { scale, bias }
  }
}
