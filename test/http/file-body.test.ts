import { mkdtemp, readdir, readlink, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { get, patterned, RawClient, send, startEdge } from './edge.ts'

const content = patterned(12_000_000)
let folder = ''
let path = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syrinx-file-'))
  path = join(folder, 'audio.wav')
  await writeFile(path, content)
})
afterAll(() => rm(folder, { recursive: true }))

/** Serves bytes `start` to `end` (exclusive) of the file. */
const ranges = get('/range/:start/:end', (exchange) => {
  const { start, end } = exchange.params
  return exchange.file(206, { 'Content-Type': 'audio/wav' }, path, Number(start), Number(end))
})

/** Whether this process has the file open. */
async function isOpen(): Promise<boolean> {
  const descriptors = await readdir('/proc/self/fd')
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return targets.includes(path)
}

describe('a file', () => {
  it('is sent to the byte, whatever the range', async () => {
    const { port } = await startEdge({ routes: [ranges] })
    const size = content.length
    const chunk = 64 * 1024
    for (const [start, end] of [
      [0, size],
      [0, 1],
      [size - 1, size],
      [1, size - 1],
      [5, 5 + chunk],
      [5, 5 + 2 * chunk],
      [5, 6 + 2 * chunk],
      [5, 4 + 3 * chunk],
    ] as const) {
      const answer = await send(port, 'GET', `/range/${start}/${end}`)
      expect([answer.status, answer.headers['content-length']]).toEqual([206, String(end - start)])
      expect(answer.body.equals(content.subarray(start, end))).toBe(true)
    }
    await waitFor(async () => !(await isOpen()), 'the file to be closed')
  })

  it('is sent at the pace of a slow reader, whole', async () => {
    const { port, server } = await startEdge({ routes: [ranges] })
    const reader = new RawClient(port)
    reader.pause()
    reader.request('GET', `/range/0/${content.length}`)
    await waitFor(isOpen, 'the file to be open')
    expect(server.openCount).toBe(1)
    reader.resume()
    expect((await reader.sizedBody()).equals(content)).toBe(true)
    expect(server.openCount).toBe(0)
    await waitFor(async () => !(await isOpen()), 'the file to be closed')
  })

  it('is closed when the reader leaves in the middle', async () => {
    const { port, server, lines } = await startEdge({ routes: [ranges] })
    const reader = new RawClient(port)
    reader.pause()
    reader.request('GET', `/range/0/${content.length}`)
    await waitFor(isOpen, 'the file to be open')
    reader.reset()
    await waitFor(() => server.openCount === 0, 'the exchange to end')
    await waitFor(async () => !(await isOpen()), 'the file to be closed')
    expect(lines.map((line) => line.level)).toEqual(['info'])
  })

  it('has a head without a body for HEAD, and for an empty range', async () => {
    const { port } = await startEdge({ routes: [ranges] })
    const head = await send(port, 'HEAD', '/range/10/1000')
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([206, '990', 0])
    const empty = await send(port, 'GET', '/range/10/10')
    expect([empty.headers['content-length'], empty.body.length]).toEqual(['0', 0])
  })

  it('that is missing is an ordinary error', async () => {
    const { port } = await startEdge({
      routes: [get('/missing', (exchange) => exchange.file(200, {}, join(folder, 'none'), 0, 10))],
    })
    const answer = await send(port, 'GET', '/missing')
    expect([answer.status, answer.text]).toEqual([500, 'internal error'])
  })

  it('that is shorter than promised tears the connection instead of filling up', async () => {
    const short = join(folder, 'short.wav')
    await writeFile(short, content.subarray(0, 200_000))
    const { port, lines } = await startEdge({
      routes: [
        get('/short', async (exchange) => {
          await truncate(short, 100_000)
          await exchange.file(200, {}, short, 0, 200_000)
        }),
      ],
    })
    const reader = new RawClient(port)
    reader.request('GET', '/short')
    await waitFor(() => reader.isClosed, 'the connection to close')
    expect(reader.receivedBytes).toBeLessThan(200_000)
    expect(lines.find((line) => line.level === 'error')?.error).toContain('file ends at byte 100000')
  })
})
