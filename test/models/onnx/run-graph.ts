import type { Graph } from '../../../models/onnx/graph.ts'
import { FLOAT32 } from '../../../models/onnx/tensor.ts'
import { openSession, tensor } from '../../../workers/session.ts'

/** Rows of numbers as a [rows, columns] input. */
export interface Matrix {
  readonly values: Float32Array
  readonly columns: number
}

/** Runs `graph` over float inputs, after giving it those ends; returns its outputs' values. */
export async function runGraph(
  graph: Graph,
  inputs: Readonly<Record<string, Matrix>>,
  outputs: readonly string[],
): Promise<Float32Array[]> {
  graph.inputs = Object.entries(inputs).map(([name, { columns }]) => ({
    name,
    type: FLOAT32,
    dims: [`${name}_rows`, columns],
  }))
  graph.outputs = outputs.map((name) => ({ name, type: FLOAT32, dims: [`${name}_0`, `${name}_1`] }))
  const session = await openSession(graph.serialize())
  const feeds = Object.entries(inputs).map(([name, { values, columns }]) => {
    return [name, tensor('float32', values, [values.length / columns, columns])] as const
  })
  const results = await session.run(Object.fromEntries(feeds))
  const values = outputs.map((name) => results[name]?.data as Float32Array)
  await session.release()
  return values
}

/** Repeatable numbers between -1 and 1. */
export function noise(count: number, seed = 1): Float32Array {
  let state = seed
  return Float32Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 1_073_741_824 - 1
  })
}

export function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let largest = a.length === b.length ? 0 : Number.POSITIVE_INFINITY
  for (let at = 0; at < a.length; at++) largest = Math.max(largest, Math.abs((a[at] ?? 0) - (b[at] ?? 0)))
  return largest
}
