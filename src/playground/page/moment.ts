/** Milliseconds from an arbitrary start. */
export function moment(): number {
  return performance.now()
}
