import { InferenceSession } from 'onnxruntime-node'

/**
 * Opens a model, a file or its bytes, for this thread. The only place where a session is made, so that no default of the runtime is in force: by default
 * each session would start a pool of threads for all cores and let them spin.
 */
export function openSession(model: string | Uint8Array): Promise<InferenceSession> {
  // The overloads of `create` do not take a union.
  return typeof model === 'string' ? InferenceSession.create(model, OPTIONS) : InferenceSession.create(model, OPTIONS)
}

const OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableCpuMemArena: true,
  enableMemPattern: false,
  logSeverityLevel: 3,
  extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
}
