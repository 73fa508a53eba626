/** The value below which the share `p` (0…1) of the sorted measurements lies: nearest rank. */
export function percentile(measurements: readonly number[], p: number): number {
  const sorted = [...measurements].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN
}

export function median(measurements: readonly number[]): number {
  return percentile(measurements, 0.5)
}

/** The line through the points that has the least squared distances, and the standard error of its slope. */
export function leastSquares(points: readonly { readonly x: number; readonly y: number }[]): {
  readonly slope: number
  readonly standardError: number
} {
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((total, point) => total + of(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  const spread = mean((point) => (point.x - x) ** 2)
  const slope = mean((point) => (point.x - x) * (point.y - y)) / spread
  const residual = mean((point) => (point.y - y - slope * (point.x - x)) ** 2)
  return { slope, standardError: Math.sqrt(residual / spread / (points.length - 2)) }
}

/** A figure with as many decimals as its size deserves. */
export function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
