import type { Layers, Signal } from './layers.ts'
import type { AdaptiveNorm, Normalisation } from './normalisation.ts'
import type { ShippedWeights } from './weights.ts'

const SLOPE = 0.2

/**
 * The residual block of StyleTTS 2's predictor and decoder (`AdainResBlk1d`):
 *
 *   x ─ norm ─ relu ─ (×2) ─ conv ─ norm ─ relu ─ conv ─(+)─ / √2
 *   └──────────── (conv 1×1) ──── (repeat ×2) ──────────┘
 *
 * `path` names its nodes in the shipped graph, `parameters` its named parameters. A block with a pooling layer doubles the rate.
 */
export function residualBlock(
  x: Signal,
  path: string,
  parameters: string,
  weights: ShippedWeights,
  layers: Layers,
  normalisation: Normalisation,
): Signal {
  const doubles = weights.has(`${path}/pool/ConvTranspose`)
  const first = weights.convolution(`${path}/conv1`)
  const second = weights.convolution(`${path}/conv2`)
  const normOf = (name: string): AdaptiveNorm => ({
    name: `${path}/${name}`,
    style: weights.linear(`${path}/${name}/fc/Gemm_MatMul_quant`, `${parameters}.${name}.fc.bias`),
  })

  let inner = layers.leakyRelu(normalisation.normalise(x, normOf('norm1')), SLOPE)
  if (doubles) {
    inner = pool(inner, path, weights, layers)
    layers.keepTime(inner)
  }
  inner = layers.leakyRelu(normalisation.normaliseConvolution(inner, first, normOf('norm2')), SLOPE)
  inner = layers.convolve(inner, second, `${path}/conv2`)

  const shortcut = weights.has(`${path}/conv1x1/Conv_quant`)
    ? layers.convolve(x, weights.convolution(`${path}/conv1x1`), `${path}/conv1x1`)
    : x
  const outer = doubles ? layers.interleave(shortcut, shortcut, second.weights.columns) : shortcut
  return layers.scale(layers.add(inner, outer), layers.number(Math.SQRT1_2))
}

/** Transposed convolution of each channel alone: kernel 3, stride 2, padding 1. */
function pool(x: Signal, path: string, weights: ShippedWeights, layers: Layers): Signal {
  const node = `${path}/pool/ConvTranspose`
  const { values, dims } = weights.operand(node, 1)
  const channels = dims[0] ?? 0
  const taps = [0, 1, 2].map((tap) =>
    layers.vector(
      Float32Array.from({ length: channels }, (_, channel) => Number(values[channel * 3 + tap])),
      `${path}/pool.${tap}`,
    ),
  )
  const [toPrevious = '', own = '', toNext = ''] = taps
  const bias = layers.vector(Float32Array.from(weights.operand(node, 2).values, Number), `${path}/pool.bias`)
  const following = layers.following(x)
  const even = layers.add(layers.scale(x, own), bias)
  const odd = layers.add(layers.add(layers.scale(x, toNext), layers.scale(following, toPrevious)), bias)
  return layers.interleave(even, odd, channels)
}
