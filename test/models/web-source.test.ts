import { readFile, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SourceError } from '../../models/source.ts'
import { ANSWER_MS_MAX, STALL_MS_MAX, WebSource } from '../../models/web-source.ts'
import { waitFor } from '../wait-for.ts'
import { cut, type FakeOrigin, silence, startOrigin, status, stopAfter, wholeFile } from './fake-origin.ts'
import { content, packFile, sha256, sourceContext, type TestContext } from './workplace.ts'

const model = content(300_000, 'model')
const file = packFile('model.onnx', model)

let origin: FakeOrigin
let context: TestContext
let source: WebSource
let part: string

beforeEach(async () => {
  origin = await startOrigin()
  origin.serve('/model.onnx', model)
  context = await sourceContext()
  source = new WebSource(context)
  part = join(context.scratchDir, 'model.part')
})
afterEach(() => origin.close())

const fetchModel = () => source.fetch(`${origin.url}/model.onnx`, file, part, () => {})
const fetched = async () => sha256(await readFile(part))

test('a file is downloaded with one request and its bytes are reported as they come', async () => {
  const told: number[] = []
  await source.fetch(`${origin.url}/model.onnx`, file, part, (bytes) => told.push(bytes))
  expect(await fetched()).toBe(sha256(model))
  expect(origin.requests).toEqual(['/model.onnx'])
  expect(told.at(-1)).toBe(model.length)
  expect(told).toEqual([...told].sort((a, b) => a - b))
})

test('a download that is cut goes on where it was cut', async () => {
  const held: ServerResponse[] = []
  origin.once('/model.onnx', stopAfter(100_000, held), stopAfter(50_000, held))
  await source.fetch(`${origin.url}/model.onnx`, file, part, (bytes) => {
    if (bytes === 100_000 || bytes === 150_000) held.pop()?.destroy()
  })
  expect(await fetched()).toBe(sha256(model))
  expect(origin.requests).toEqual(['/model.onnx', '/model.onnx from 100000', '/model.onnx from 150000'])
})

test('what an earlier run left is continued, not downloaded again', async () => {
  await writeFile(part, model.subarray(0, 200_000))
  await fetchModel()
  expect(await fetched()).toBe(sha256(model))
  expect(origin.requests).toEqual(['/model.onnx from 200000'])
})

test('a complete download that an earlier run left costs no request', async () => {
  await writeFile(part, model)
  await fetchModel()
  expect(origin.requests).toEqual([])
})

test('a server that cannot resume sends the file from the start', async () => {
  await writeFile(part, content(200_000, 'something else'))
  origin.once('/model.onnx', wholeFile)
  await fetchModel()
  expect(await fetched()).toBe(sha256(model))
})

test('a server that refuses the range is asked for the whole file', async () => {
  await writeFile(part, model.subarray(0, 200_000))
  origin.once('/model.onnx', status(416))
  await fetchModel()
  expect(await fetched()).toBe(sha256(model))
  expect(origin.requests).toEqual(['/model.onnx from 200000', '/model.onnx'])
})

test('a download that brings no new byte three times in a row is given up and keeps what it has', async () => {
  await writeFile(part, model.subarray(0, 100_000))
  origin.once('/model.onnx', cut, cut, cut)
  await expect(fetchModel()).rejects.toBeInstanceOf(SourceError)
  expect(await fetched()).toBe(sha256(model.subarray(0, 100_000)))
  expect(origin.requests).toEqual([1, 2, 3].map(() => '/model.onnx from 100000'))
})

test('a server that sends more than the file is refused and leaves nothing behind', async () => {
  origin.serve('/model.onnx', content(300_001, 'longer'))
  await expect(fetchModel()).rejects.toThrow('the server sent more than 300000 bytes')
  await expect(readFile(part)).rejects.toThrow('ENOENT')
})

test('a host that does not answer in time is given up and not asked again in this run', async () => {
  origin.once('/model.onnx', silence)
  const first = fetchModel()
  await waitFor(() => origin.requests.length === 1, 'the request')
  context.clock.fire(ANSWER_MS_MAX)
  const reason = `${new URL(origin.url).host} cannot be reached (no answer in 4 s)`
  await expect(first).rejects.toThrow(reason)
  await expect(fetchModel()).rejects.toThrow(reason)
  expect(origin.requests).toHaveLength(1)
})

test('a host that has answered before is asked again after a broken connection', async () => {
  origin.serve('/voice.bin', content(1_000, 'voice'))
  await source.fetch(
    `${origin.url}/voice.bin`,
    packFile('voice.bin', content(1_000, 'voice')),
    `${part}.voice`,
    () => {},
  )
  origin.once(
    '/model.onnx',
    (response) => response.destroy(),
    (response) => response.destroy(),
  )
  await fetchModel()
  expect(await fetched()).toBe(sha256(model))
})

test('a host that refuses connections is not tried again in this run', async () => {
  const { url } = origin
  await origin.close()
  await expect(fetchModel()).rejects.toThrow('ECONNREFUSED')
  origin = await startOrigin()
  await expect(source.fetch(`${url}/voice.bin`, file, part, () => {})).rejects.toThrow('ECONNREFUSED')
})

test('a host that turns the request away is not asked for other files, one that lacks a file is', async () => {
  await expect(source.fetch(`${origin.url}/lost.bin`, file, part, () => {})).rejects.toThrow('answered 404')
  origin.once('/model.onnx', status(403))
  await expect(fetchModel()).rejects.toThrow('answered 403')
  await expect(fetchModel()).rejects.toThrow('answered 403')
  expect(origin.requests).toEqual(['/lost.bin', '/model.onnx'])
})

test('a download that stands still is cut and resumed', async () => {
  origin.once('/model.onnx', stopAfter(100_000))
  let received = 0
  const whole = source.fetch(`${origin.url}/model.onnx`, file, part, (bytes) => {
    received = bytes
  })
  const isWaiting = () => received === 100_000 && context.clock.armed.includes(STALL_MS_MAX)
  await waitFor(isWaiting, 'the download to stand still')
  context.clock.fire(STALL_MS_MAX)
  await whole
  expect(await fetched()).toBe(sha256(model))
  expect(origin.requests).toEqual(['/model.onnx', '/model.onnx from 100000'])
})

test('the caller can stop a download, and what came stays', async () => {
  const stop = new AbortController()
  context = await sourceContext(stop.signal)
  source = new WebSource(context)
  origin.once('/model.onnx', stopAfter(100_000))
  const reason = new Error('stopped')
  const stopped = source.fetch(`${origin.url}/model.onnx`, file, part, (bytes) => {
    if (bytes === 100_000) stop.abort(reason)
  })
  await expect(stopped).rejects.toBe(reason)
  expect(await fetched()).toBe(sha256(model.subarray(0, 100_000)))
  expect(context.clock.armed).toEqual([])
})
