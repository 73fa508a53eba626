import { cp, mkdir, readFile, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Pack } from '../../models/catalog.ts'
import type { Installer } from '../../models/installers.ts'
import { MissingFilesError } from '../../models/missing-files.ts'
import { ensurePacks, type PackOptions } from '../../models/packs.ts'
import { lineReporter } from '../../models/reporter.ts'
import { waitFor } from '../wait-for.ts'
import { type FakeClients, fakeClients, writeTarball, writeWheel } from './fake-clients.ts'
import { type FakeOrigin, startOrigin, status, stopAfter } from './fake-origin.ts'
import { content, emptyFolder, filesIn, heldClock, pack, packFile, sha256, write } from './workplace.ts'

const model = content(50_000, 'model')
const [amy, ben] = [content(2_000, 'amy'), content(2_000, 'ben')]

let origin: FakeOrigin
let clients: FakeClients
let lines: string[]
let catalog: readonly Pack[]
let options: PackOptions
let installs: number

/** Two packs as the shipped ones are: a model from the web or two wheels, and the voices it needs from the web or npm. */
beforeEach(async () => {
  origin = await startOrigin()
  clients = fakeClients()
  lines = []
  installs = 0
  const half = 30_000
  const voice = (name: string, bytes: Uint8Array) =>
    packFile(
      `voices/${name}.bin`,
      bytes,
      { kind: 'web', url: `${origin.url}/voices/${name}.bin` },
      { kind: 'npm', package: 'voices', version: '1.0.0', member: `package/voices/${name}.bin` },
    )
  const part = (n: number) => ({ wheel: `model-${n}`, version: '0.1.0', member: `model_${n}/part.bin` })
  catalog = [
    pack(
      'speech',
      [
        packFile(
          'model.onnx',
          model,
          { kind: 'web', url: `${origin.url}/model.onnx` },
          { kind: 'wheels', members: [part(1), part(2)] },
        ),
      ],
      { needs: ['voices'] },
    ),
    pack('voices', [voice('amy', amy), voice('ben', ben)]),
  ]
  const shelf = await emptyFolder()
  for (const [name, bytes] of [['1', model.subarray(0, half)] as const, ['2', model.subarray(half)] as const]) {
    const wheel = join(shelf, `model_${name}-0.1.0-py3-none-any.whl`)
    await writeWheel(wheel, { [`model_${name}/part.bin`]: bytes })
    clients.index.set(`model-${name}==0.1.0`, wheel)
  }
  await write(join(shelf, 'package/voices/amy.bin'), amy)
  await write(join(shelf, 'package/voices/ben.bin'), ben)
  await writeTarball(join(shelf, 'voices-1.0.0.tgz'), shelf)
  clients.index.set('voices@1.0.0', join(shelf, 'voices-1.0.0.tgz'))
  options = {
    modelsDir: await emptyFolder(),
    clock: heldClock(),
    reporter: lineReporter((line) => lines.push(line)),
    catalog,
    installers: { speech: installer('1') },
    runCommand: clients.run,
    processor: 'Test CPU',
  }
})
afterEach(() => origin.close())

/** Joins the model and the voices, so that the result shows what it was given. */
function installer(version: string, perProcessor = false): Installer {
  return {
    version,
    perProcessor,
    async install({ outputDir, path, onStep }) {
      installs += 1
      onStep('joining')
      const inputs = [path('speech', 'model.onnx'), path('voices', 'voices/amy.bin'), path('voices', 'voices/ben.bin')]
      const joined = Buffer.concat(await Promise.all(inputs.map((input) => readFile(input))))
      await write(join(outputDir, 'graphs/joined.onnx'), joined)
      return { form: 'joined' }
    },
  }
}

function serveOnTheWeb(): void {
  origin.serve('/model.onnx', model)
  origin.serve('/voices/amy.bin', amy)
  origin.serve('/voices/ben.bin', ben)
}

const ensure = (more: Partial<PackOptions> = {}, names = ['speech']) => ensurePacks(names, { ...options, ...more })
const complete = [
  'speech/installed.json',
  'speech/installed/graphs/joined.onnx',
  'speech/model.onnx',
  'voices/installed.json',
  'voices/voices/amy.bin',
  'voices/voices/ben.bin',
]

test('an empty folder is filled from the web: fetched, checked, installed, nothing left over', async () => {
  serveOnTheWeb()
  const ready = await ensure()
  expect(await filesIn(options.modelsDir)).toEqual(complete)
  expect(ready.get('speech')).toEqual({
    name: 'speech',
    dir: join(options.modelsDir, 'speech'),
    installedDir: join(options.modelsDir, 'speech/installed'),
    result: { form: 'joined' },
  })
  const made = await readFile(join(options.modelsDir, 'speech/installed/graphs/joined.onnx'))
  expect(sha256(made)).toBe(sha256(Buffer.concat([model, amy, ben])))
  expect(clients.asked).toEqual([])
})

test('the second start reads no file, asks nobody and installs nothing', async () => {
  serveOnTheWeb()
  const first = await ensure()
  const asked = origin.requests.length
  lines.length = 0
  // Other content of the same size and age shows that nothing was read.
  for (const path of complete.filter((name) => !name.endsWith('.json'))) {
    const file = join(options.modelsDir, path)
    const { mtimeMs, size } = await stat(file)
    await write(file, new Uint8Array(size))
    // A date would round to the millisecond, now and then into the next second.
    const changed = Math.floor(mtimeMs / 1_000)
    await utimes(file, changed, changed)
  }
  expect(await ensure()).toEqual(first)
  expect([origin.requests.length, installs, lines]).toEqual([asked, 1, []])
})

test('behind a locked-down network the files come out of wheels and a tarball, each downloaded once', async () => {
  origin.once('/voices/amy.bin', status(403))
  await ensure()
  expect(await filesIn(options.modelsDir)).toEqual(complete)
  expect(origin.requests).toEqual(['/voices/amy.bin'])
  expect(clients.asked).toEqual(['npm voices@1.0.0', 'pip model-1==0.1.0', 'pip model-2==0.1.0'])
})

test('wrong bytes from one source are refused and the next source is asked', async () => {
  serveOnTheWeb()
  origin.serve('/model.onnx', content(50_000, 'not the model'))
  await ensure()
  expect(await filesIn(options.modelsDir)).toEqual(complete)
  expect(clients.asked).toEqual(['pip model-1==0.1.0', 'pip model-2==0.1.0'])
})

test('wrong bytes from every source are refused with a message and never get the real name', async () => {
  serveOnTheWeb()
  origin.serve('/model.onnx', content(50_000, 'not the model'))
  await writeWheel(clients.index.get('model-1==0.1.0')!, { 'model_1/part.bin': content(30_000, 'not the model') })
  await expect(ensure()).rejects.toThrow(
    /web: wrong content: 50000 bytes with sha256 \w{12}… instead of 50000 bytes .*\n.*wheels: wrong content: 50000 bytes/,
  )
  expect(await filesIn(options.modelsDir)).not.toContain('speech/model.onnx')
})

test('when no source has the files, one message says what is missing, why, and what helps', async () => {
  const { host } = new URL(origin.url)
  await origin.close()
  clients.index.clear()
  const failed = await ensure().catch((error: unknown) => error)
  origin = await startOrigin()
  if (!(failed instanceof MissingFilesError)) throw failed
  expect(failed.missing.map(({ file }) => file.path)).toEqual(['voices/amy.bin', 'voices/ben.bin', 'model.onnx'])
  expect(failed.message.split('\n')).toEqual([
    'These model files are missing, and no source could give them:',
    '  voices: voices/amy.bin, voices/ben.bin (4,000 bytes)',
    `    web: ${host} cannot be reached (ECONNREFUSED)`,
    '    npm: npm could not download voices@1.0.0: ERROR: No matching distribution found for voices@1.0.0',
    '  speech: model.onnx (50,000 bytes)',
    `    web: ${host} cannot be reached (ECONNREFUSED)`,
    '    wheels: pip could not download model-1 0.1.0: ERROR: No matching distribution found for model-1==0.1.0',
    '',
    'Any one of these helps; what is already there is kept:',
    '  1. Let this machine reach models.example, or set up pip and npm with an index they can reach, and try again.',
    '  2. Copy the models folder from a machine that has it and point SYRINX_MODELS at the copy',
    `     (the folder in use is ${options.modelsDir}).`,
    '  3. Download the files by hand, then check them with `syrinx models verify`:',
    `     voices: https://models.example/ → ${options.modelsDir}/voices/voices/`,
    `     speech: http://${host}/model.onnx → ${options.modelsDir}/speech/`,
  ])
})

test('a run after a failed one fetches only what is still missing', async () => {
  const wheel = clients.index.get('model-2==0.1.0')!
  clients.index.delete('model-2==0.1.0')
  await expect(ensure()).rejects.toThrow(MissingFilesError)
  clients.index.set('model-2==0.1.0', wheel)
  await ensure()
  expect(await filesIn(options.modelsDir)).toEqual(complete)
  expect(clients.asked.filter((spec) => spec !== 'pip model-2==0.1.0')).toEqual([
    'npm voices@1.0.0',
    'pip model-1==0.1.0',
  ])
})

test('stopping in the middle of a download leaves no half file under its real name, and the next run goes on there', async () => {
  serveOnTheWeb()
  const stop = new AbortController()
  origin.once('/model.onnx', stopAfter(20_000))
  const reporter = lineReporter((line) => line === 'speech: 40 %' && stop.abort(new Error('stopped')))
  await expect(ensure({ reporter, signal: stop.signal })).rejects.toThrow('stopped')
  expect(await filesIn(options.modelsDir)).not.toContain('speech/model.onnx')
  await ensure()
  expect(origin.requests.filter((request) => request.startsWith('/model'))).toEqual([
    '/model.onnx',
    '/model.onnx from 20000',
  ])
})

test('files put into the models folder by hand are used without asking anybody', async () => {
  await write(join(options.modelsDir, 'speech/model.onnx'), model)
  await write(join(options.modelsDir, 'voices/voices/amy.bin'), amy)
  await write(join(options.modelsDir, 'voices/voices/ben.bin'), ben)
  await ensure()
  expect([origin.requests, clients.asked]).toEqual([[], []])
})

test('files are taken from another folder, laid out like a models folder or side by side', async () => {
  const stick = await emptyFolder()
  await write(join(stick, 'speech/model.onnx'), model)
  await write(join(stick, 'amy.bin'), amy)
  await write(join(stick, 'voices/ben.bin'), ben)
  await ensure({ folders: [stick] })
  expect([origin.requests, clients.asked]).toEqual([[], []])
  expect(await filesIn(stick)).toEqual(['amy.bin', 'speech/model.onnx', 'voices/ben.bin'])
})

test('a models folder copied from another machine is checked and used without downloading or installing', async () => {
  serveOnTheWeb()
  await ensure()
  const copy = await emptyFolder()
  await cp(options.modelsDir, copy, { recursive: true, preserveTimestamps: false })
  await utimes(join(copy, 'speech/model.onnx'), 1, 1)
  const asked = origin.requests.length
  await ensure({ modelsDir: copy })
  expect([origin.requests.length, installs]).toEqual([asked, 1])
})

test('a damaged file is fetched again, and said to be', async () => {
  serveOnTheWeb()
  await ensure()
  await write(join(options.modelsDir, 'voices/voices/amy.bin'), 'damaged')
  await ensure()
  expect(sha256(await readFile(join(options.modelsDir, 'voices/voices/amy.bin')))).toBe(sha256(amy))
  expect(lines).toContain('voices/voices/amy.bin is not the expected file: fetching it again')
  expect(installs).toBe(1)
})

test('a damaged installation is made again from the files that are there', async () => {
  serveOnTheWeb()
  await ensure()
  await write(join(options.modelsDir, 'speech/installed/graphs/joined.onnx'), 'damaged')
  const asked = origin.requests.length
  await ensure()
  expect([origin.requests.length, installs]).toEqual([asked, 2])
})

test('a new version of an installer installs anew, and removes what the old one made', async () => {
  serveOnTheWeb()
  await ensure()
  await write(join(options.modelsDir, 'speech/installed/old.onnx'), 'old')
  await ensure({ installers: { speech: installer('2') } })
  expect(installs).toBe(2)
  expect(await filesIn(options.modelsDir)).toEqual(complete)
})

test('another version of a needed pack installs anew', async () => {
  serveOnTheWeb()
  await ensure()
  const newBen = content(2_000, 'new ben')
  const files = [catalog[1]!.files[0]!, packFile('voices/ben.bin', newBen, ...catalog[1]!.files[1]!.sources)]
  origin.serve('/voices/ben.bin', newBen)
  await ensure({ catalog: [catalog[0]!, { ...catalog[1]!, files }] })
  expect(installs).toBe(2)
})

test('an installation tested on this processor is made again on another model, an untested one is not', async () => {
  serveOnTheWeb()
  await ensure()
  await ensure({ processor: 'Other CPU' })
  expect(installs).toBe(1)
  const tested = { speech: installer('2', true) }
  await ensure({ installers: tested })
  await ensure({ installers: tested })
  expect(installs).toBe(2)
  await ensure({ installers: tested, processor: 'Other CPU' })
  expect(installs).toBe(3)
})

test('an installer that fails leaves a pack that the next run installs', async () => {
  serveOnTheWeb()
  const broken: Installer = {
    version: '1',
    perProcessor: false,
    install: async ({ outputDir }) => {
      await write(join(outputDir, 'half.onnx'), 'half')
      throw new Error('out of memory')
    },
  }
  await expect(ensure({ installers: { speech: broken } })).rejects.toThrow('out of memory')
  expect(await filesIn(join(options.modelsDir, 'speech'))).toEqual(['model.onnx'])
  await ensure()
  expect(await filesIn(options.modelsDir)).toEqual(complete)
})

test('two calls at the same time fetch and install once, and the later one says that it waits', async () => {
  serveOnTheWeb()
  const waiting: string[] = []
  const reporter = lineReporter((line) => waiting.push(line))
  origin.once('/voices/amy.bin', (response, bytes) => {
    void waitFor(() => waiting.length > 0, 'the other to wait').then(() => response.writeHead(200).end(bytes))
  })
  const first = ensure()
  await waitFor(() => origin.requests.length > 0, 'the request')
  const [a, b] = await Promise.all([first, ensure({ reporter })])
  expect(a).toEqual(b)
  expect(origin.requests).toEqual(['/voices/amy.bin', '/voices/ben.bin', '/model.onnx'])
  expect(installs).toBe(1)
  expect(waiting).toEqual(['another process is fetching or installing models: waiting for it'])
})

test('the lock of a process that was killed is taken over', async () => {
  serveOnTheWeb()
  await mkdir(join(options.modelsDir, '.lock'))
  await utimes(join(options.modelsDir, '.lock'), 1, 1)
  await ensure()
  expect(lines).not.toContain('another process is fetching or installing models: waiting for it')
})

test('a folder that cannot be written is used when its content is complete, and refused when it is not', async () => {
  const isWritable = async () => false
  const refused = `${options.modelsDir} has no complete voices, and it cannot be written to fetch it`
  await expect(ensure({ isWritable })).rejects.toThrow(refused)
  serveOnTheWeb()
  const first = await ensure({ installers: { speech: installer('1', true) } })
  await utimes(join(options.modelsDir, 'speech/model.onnx'), 1, 1)
  const before = await readFile(join(options.modelsDir, 'speech/installed.json'), 'utf8')
  const elsewhere = { isWritable, installers: { speech: installer('1', true) }, processor: 'Other CPU' }
  expect(await ensure(elsewhere)).toEqual(first)
  expect(lines.at(-1)).toBe('speech was installed on another processor (Test CPU)')
  expect(await readFile(join(options.modelsDir, 'speech/installed.json'), 'utf8')).toBe(before)
  await write(join(options.modelsDir, 'voices/voices/amy.bin'), 'damaged')
  await expect(ensure(elsewhere)).rejects.toThrow(refused)
})
