import assert from 'node:assert/strict'
import { InferenceSession, Tensor } from 'onnxruntime-node'

export type { InferenceSession as Session, Tensor }

/** Values of the inputs of a run, by name. The session reads them during the run only. */
export type Feeds = Readonly<Record<string, Tensor>>

/**
 * Opens a model, a file or its bytes, for this thread. The only place where a session is made, so that no default of the runtime
 * is in force: by default each session would start a pool of threads for all cores and let them spin.
 *
 * `use`: weights of a model that runs often are rearranged for speed at the start, into memory of this session; those of one that
 * runs seldom are read where they lie in its file, which all threads share.
 */
export function openSession(model: string | Uint8Array, use: 'often' | 'seldom' = 'often'): Promise<InferenceSession> {
  const options =
    use === 'often' ? OPTIONS : { ...OPTIONS, extra: { session: { ...SESSION, disable_prepacking: '1' } } }
  // The overloads of `create` do not take a union.
  return typeof model === 'string' ? InferenceSession.create(model, options) : InferenceSession.create(model, options)
}

/** Wraps `values` without copying: [rows, columns, …] row-major. */
export function tensor(type: 'float32', values: Float32Array, dims: readonly number[]): Tensor
export function tensor(type: 'int64', values: BigInt64Array, dims: readonly number[]): Tensor
export function tensor(
  type: 'float32' | 'int64',
  values: Float32Array | BigInt64Array,
  dims: readonly number[],
): Tensor {
  return new Tensor(type, values, dims)
}

/** Wraps rows of `width` values, without copying. */
export function matrix(values: Float32Array, width: number): Tensor {
  return tensor('float32', values, [values.length / width, width])
}

/** The values of a float tensor, without copying. */
export function floats({ data }: Tensor): Float32Array {
  assert.ok(data instanceof Float32Array)
  return data
}

const SESSION = { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } }

const OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // Without the arena every tensor is allocated anew: slower by a third, and twice the memory at the peak.
  enableCpuMemArena: true,
  // A pattern is kept for every length that was ever run.
  enableMemPattern: false,
  logSeverityLevel: 3,
  extra: { session: SESSION },
}
