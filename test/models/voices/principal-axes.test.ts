import { expect, test } from 'vitest'
import { eigenvectors } from '../../../models/voices/principal-axes.ts'

test('eigenvectors are the directions a symmetric matrix only stretches, the most stretched first', () => {
  const n = 12
  const root = Float64Array.from({ length: n * n }, (_, at) => Math.sin(at * at * 0.7))
  const matrix = Float64Array.from({ length: n * n }, (_, at) => {
    const [row, column] = [Math.floor(at / n), at % n]
    return Array.from({ length: n }, (_, k) => root[row * n + k]! * root[column * n + k]!).reduce((a, b) => a + b)
  })
  const { values, vectors } = eigenvectors(matrix, n)
  expect([...values].sort((a, b) => b - a)).toEqual([...values])
  for (const [index, vector] of vectors.entries()) {
    expect(Math.hypot(...vector)).toBeCloseTo(1, 9)
    for (let row = 0; row < n; row++) {
      const product = vector.reduce((sum, value, column) => sum + value * matrix[row * n + column]!, 0)
      expect(product).toBeCloseTo(values[index]! * vector[row]!, 8)
    }
  }
})
