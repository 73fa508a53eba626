/** Eigenvectors of a symmetric matrix [n, n], the largest eigenvalue first, by Jacobi's cyclic method. */
export function eigenvectors(matrix: Float64Array, n: number): { values: Float64Array; vectors: Float64Array[] } {
  const a = matrix.slice()
  const v = new Float64Array(n * n)
  for (let i = 0; i < n; i++) v[i * n + i] = 1
  for (let sweep = 0; sweep < SWEEPS_MAX && offDiagonal(a, n) > TOLERANCE; sweep++) {
    for (let p = 0; p < n - 1; p++) for (let q = p + 1; q < n; q++) rotate(a, v, n, p, q)
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => a[j * n + j]! - a[i * n + i]!)
  return {
    values: Float64Array.from(order, (i) => a[i * n + i]!),
    vectors: order.map((i) => Float64Array.from({ length: n }, (_, row) => v[row * n + i]!)),
  }
}

const SWEEPS_MAX = 30
/** Of what lies beside the diagonal, compared with what lies on it. */
const TOLERANCE = 1e-20

function offDiagonal(a: Float64Array, n: number): number {
  let [beside, on] = [0, 0]
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i === j) on += a[i * n + j]! ** 2
      else beside += a[i * n + j]! ** 2
    }
  }
  return beside / (on + Number.MIN_VALUE)
}

/** Turns the plane of axes p and q until nothing is left at [p, q]. */
function rotate(a: Float64Array, v: Float64Array, n: number, p: number, q: number): void {
  const apq = a[p * n + q]!
  if (apq === 0) return
  const theta = (a[q * n + q]! - a[p * n + p]!) / (2 * apq)
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
  const c = 1 / Math.sqrt(t * t + 1)
  const s = t * c
  for (let k = 0; k < n; k++) turn(a, k * n + p, k * n + q, c, s)
  for (let k = 0; k < n; k++) turn(a, p * n + k, q * n + k, c, s)
  for (let k = 0; k < n; k++) turn(v, k * n + p, k * n + q, c, s)
}

function turn(values: Float64Array, i: number, j: number, c: number, s: number): void {
  const [x, y] = [values[i]!, values[j]!]
  values[i] = c * x - s * y
  values[j] = s * x + c * y
}
