/** Of the first `count` numbers of both. */
export function dot<Vector extends Float32Array | Float64Array>(
  a: Vector,
  b: Vector,
  count: number = a.length,
): number {
  let sum = 0
  for (let at = 0; at < count; at++) sum += a[at]! * b[at]!
  return sum
}
