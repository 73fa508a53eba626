import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { type FakeOrigin, startOrigin, stopAfter } from './fake-origin.ts'
import { content, emptyFolder, filesIn, packFile } from './workplace.ts'

// Real processes, so the code that `npm run build` made.
const script = fileURLToPath(new URL('ensure-in-process.js', import.meta.url))
const model = content(100_000, 'model')
const complete = ['tiny/installed.json', 'tiny/model.onnx']

let origin: FakeOrigin
let modelsDir: string

beforeEach(async () => {
  origin = await startOrigin()
  origin.serve('/model.onnx', model)
  modelsDir = await emptyFolder()
})
afterEach(() => origin.close())

interface Pulling {
  readonly child: ChildProcess
  readonly lines: readonly string[]
  readonly ended: Promise<unknown[]>
}

function startPulling(): Pulling {
  const child = fork(script, { stdio: 'inherit' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  child.on('message', (message) => {
    if (typeof message === 'object' && 'line' in message) lines.push(String(message.line))
  })
  const { path, bytes, sha256 } = packFile('model.onnx', model)
  const pack = {
    ...{ name: 'tiny', what: 'a tiny model', licence: 'MIT', home: origin.url, default: true, needs: [] },
    files: [{ path, bytes, sha256 }],
    sources: [{ kind: 'web', url: `${origin.url}/{path}` }],
  }
  child.send({ modelsDir, packs: [pack] })
  // What it said last may come after its end.
  const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')]).then(([exit]) => exit)
  return { child, lines, ended }
}

const waiting = 'another process is fetching or installing models: waiting for it'

test('two processes that start together fetch and install once', async () => {
  let second: Pulling | undefined
  origin.once('/model.onnx', (response, bytes) => {
    void waitFor(() => second?.lines.includes(waiting) === true, 'the second to wait').then(() => response.end(bytes))
  })
  const first = startPulling()
  await waitFor(() => origin.requests.length > 0, 'the request')
  second = startPulling()
  expect(await Promise.all([first.ended, second.ended])).toEqual([
    [0, null],
    [0, null],
  ])
  expect(origin.requests).toEqual(['/model.onnx'])
  expect([...first.lines, ...second.lines].filter((line) => line === 'installed')).toHaveLength(1)
  expect(await filesIn(modelsDir)).toEqual(complete)
})

test('a process killed in the middle of a download leaves no half file, and the next one goes on where it was', async () => {
  origin.once('/model.onnx', stopAfter(60_000))
  const killed = startPulling()
  const part = join(modelsDir, '.fetch', `${packFile('model.onnx', model).sha256}.part`)
  await waitFor(async () => (await stat(part).catch(() => undefined))?.size === 60_000, 'the first bytes on disk')
  killed.child.kill('SIGKILL')
  await killed.ended
  expect((await filesIn(modelsDir)).filter((path) => !path.startsWith('.fetch'))).toEqual([])

  // As if the time had passed after which a lock that nobody touches counts as left behind.
  await utimes(join(modelsDir, '.lock'), 1, 1)
  expect(await startPulling().ended).toEqual([0, null])
  expect(origin.requests).toEqual(['/model.onnx', '/model.onnx from 60000'])
  expect(await filesIn(modelsDir)).toEqual(complete)
})
