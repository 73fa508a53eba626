import { connect } from 'node:net'

/**
 * A light client in a process of its own: `connections` bare sockets, one request in flight on each, nothing decoded. All
 * answers to one request have the same length, so after the first the bytes are only counted.
 */
export interface Load {
  readonly port: number
  /** A whole request, ready to be written. */
  readonly request: string
  readonly status: number
  readonly connections: number
  readonly durationMs: number
}

export interface LoadResult {
  readonly requests: number
  readonly elapsedMs: number
  /** Of every answer, sorted. */
  readonly milliseconds: readonly number[]
}

process.on('message', (load: Load) => {
  run(load).then(
    (result) => process.send?.(result),
    (error) => {
      throw error
    },
  )
})

async function run(load: Load): Promise<LoadResult> {
  const startedAt = performance.now()
  const deadline = startedAt + load.durationMs
  const milliseconds: number[] = []
  await Promise.all(Array.from({ length: load.connections }, () => drive(load, deadline, milliseconds)))
  return {
    requests: milliseconds.length,
    elapsedMs: performance.now() - startedAt,
    milliseconds: milliseconds.sort((a, b) => a - b),
  }
}

/** Requests one after the other on one connection until the deadline. */
function drive({ port, request, status }: Load, deadline: number, milliseconds: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const bytes = Buffer.from(request)
    let sentAt = 0
    let answerBytes = 0
    let receivedBytes = 0
    const send = () => {
      sentAt = performance.now()
      socket.write(bytes)
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection')))
    socket.on('data', (chunk) => {
      receivedBytes += chunk.length
      if (answerBytes === 0) answerBytes = wholeLength(chunk, status)
      if (receivedBytes < answerBytes) return
      receivedBytes = 0
      const now = performance.now()
      milliseconds.push(now - sentAt)
      if (now < deadline) return send()
      socket.removeAllListeners('close')
      socket.destroy()
      resolve()
    })
  })
}

/** Length of the answer that begins with `chunk`, which holds at least its head. */
function wholeLength(chunk: Buffer, status: number): number {
  const text = chunk.toString('latin1')
  const headBytes = text.indexOf('\r\n\r\n') + 4
  const contentLength = /\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1]
  if (!text.startsWith(`HTTP/1.1 ${status} `) || headBytes < 4 || contentLength === undefined) {
    throw new Error(`unexpected answer: ${text.slice(0, 200)}`)
  }
  return headBytes + Number(contentLength)
}
