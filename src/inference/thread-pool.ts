import { Piscina } from 'piscina'

export type ThreadPool<Task, Answer> = Piscina<Task, Answer>

interface ThreadPoolOptions {
  readonly threads?: number
  /** A thread without work is ended after this. Infinity: threads are there before and after their work. */
  readonly idleMs: number
  /** Tasks that may wait for a thread. */
  readonly queueMax: number
  /** `disabled` where a worker must reach its event loop between tasks. */
  readonly atomics?: 'sync' | 'disabled'
  readonly workerData?: unknown
}

/** Threads beside those of inference, one task each at a time. `filename`: the compiled worker entry. */
export function openThreadPool<Task, Answer>(
  filename: string,
  { threads = 1, idleMs, queueMax, atomics = 'sync', workerData }: ThreadPoolOptions,
): ThreadPool<Task, Answer> {
  const pool = new Piscina<Task, Answer>({
    filename,
    minThreads: idleMs === Number.POSITIVE_INFINITY ? threads : 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    maxQueue: queueMax,
    concurrentTasksPerWorker: 1,
    atomics,
    recordTiming: false,
    workerData,
  })
  // A thread that dies without work is replaced when there is some. One that dies at it fails its task as well.
  pool.on('error', () => {})
  return pool
}
