import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** A file server on loopback that can misbehave on command, and remembers what it was asked. */
export interface FakeOrigin {
  readonly url: string
  /** Every request, as `/path` or `/path from <first byte>`. */
  readonly requests: readonly string[]
  serve(path: string, content: Uint8Array): void
  /** The next answers for this path are handled by these functions, one each, instead of served. */
  once(path: string, ...answers: readonly Answer[]): void
  close(): Promise<void>
}

export type Answer = (response: ServerResponse, content: Uint8Array, offset: number) => void

export async function startOrigin(): Promise<FakeOrigin> {
  const files = new Map<string, Uint8Array>()
  const scripted = new Map<string, Answer[]>()
  const requests: string[] = []
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/'
    const offset = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    requests.push(offset > 0 ? `${path} from ${offset}` : path)
    const content = files.get(path)
    const answer = scripted.get(path)?.shift()
    if (answer !== undefined) answer(response, content ?? new Uint8Array(), offset)
    else if (content === undefined) response.writeHead(404).end()
    else serveFrom(response, content, offset)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    serve: (path, content) => files.set(path, content),
    once: (path, ...answers) => scripted.set(path, [...(scripted.get(path) ?? []), ...answers]),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function serveFrom(response: ServerResponse, content: Uint8Array, offset: number): void {
  const rest = content.subarray(offset)
  const head = { 'content-length': rest.length }
  if (offset === 0) response.writeHead(200, head)
  else response.writeHead(206, { ...head, 'content-range': `bytes ${offset}-${content.length - 1}/${content.length}` })
  response.end(rest)
}

/** Sends `bytes` of what was asked for and then neither more nor an end; `held` gets the response, to be destroyed. */
export function stopAfter(bytes: number, held: ServerResponse[] = []): Answer {
  return (response, content, offset) => {
    const rest = content.subarray(offset)
    response.writeHead(offset === 0 ? 200 : 206, {
      'content-length': rest.length,
      ...(offset === 0 ? {} : { 'content-range': `bytes ${offset}-${content.length - 1}/${content.length}` }),
    })
    response.write(rest.subarray(0, bytes))
    held.push(response)
  }
}

/** Breaks the connection instead of answering with the bytes it promised. */
export const cut: Answer = (response, content, offset) => {
  response.writeHead(206, {
    'content-length': content.length - offset,
    'content-range': `bytes ${offset}-${content.length - 1}/${content.length}`,
  })
  response.flushHeaders()
  response.destroy()
}

/** Answers nothing, as behind a firewall that drops packets. */
export const silence: Answer = () => {}

/** Answers with the whole file whatever range was asked for. */
export const wholeFile: Answer = (response, content) => {
  response.writeHead(200, { 'content-length': content.length }).end(content)
}

export function status(code: number): Answer {
  return (response) => response.writeHead(code).end()
}
