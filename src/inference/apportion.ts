/**
 * Shares out `total` whole units in proportion to `weights` so that they sum to `total` exactly: each share is the difference
 * of two rounded cumulative sums, which keeps every boundary within half a unit of its ideal place. Without any weight the
 * shares are zero.
 */
export function apportion(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((left, right) => left + right, 0)
  let cumulative = 0
  let given = 0
  return weights.map((weight) => {
    cumulative += weight
    const upTo = sum > 0 ? Math.round((total * cumulative) / sum) : 0
    const share = upTo - given
    given = upTo
    return share
  })
}
