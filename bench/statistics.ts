/** The value below which the share `p` (0…1) of the sorted measurements lies: nearest rank. */
export function percentile(measurements: readonly number[], p: number): number {
  const sorted = [...measurements].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN
}

export function median(measurements: readonly number[]): number {
  return percentile(measurements, 0.5)
}

/** A figure with as many decimals as its size deserves. */
export function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
