import type { Layers, Signal } from './layers.ts'

/**
 * The generator's activation, x + sin²(αx) / α, of z = αx / π:
 *
 *   (π / α) × (z + sin²(πz) / π)
 *
 * sin² has period 1 in z, so it is a polynomial of the squared distance to the nearest integer. Coefficients: least squares over
 * Chebyshev nodes of [0, 1/4]; the largest error is 2.8e-4.
 */
const COEFFICIENTS = [3.12002617, -9.79383952, 9.64364691] as const

/** Factor that turns a normalised signal into z. */
export function snakeGain(alpha: Float32Array): Float32Array {
  return alpha.map((value) => value / Math.PI)
}

export function snake(z: Signal, alpha: Float32Array, layers: Layers, name: string): Signal {
  const [linear, square, cube] = COEFFICIENTS
  const distance = layers.subtract(z, layers.round(z))
  const u = layers.scale(distance, distance)
  let sine = layers.scale(u, layers.number(cube))
  sine = layers.scale(layers.add(sine, layers.number(square)), u)
  sine = layers.scale(layers.add(sine, layers.number(linear)), u)
  const amplitude = alpha.map((value) => Math.PI / value)
  return layers.scale(layers.add(z, sine), layers.vector(amplitude, `${name}.amplitude`))
}
