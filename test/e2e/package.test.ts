import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { extract } from 'tar'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)

/** A project that has installed the packed package, without what the server depends on. */
let project: string

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'syrinx-package-'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project])
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  const folder = join(project, 'node_modules', 'syrinx')
  await mkdir(folder, { recursive: true })
  await extract({ file: join(project, filename), cwd: folder, strip: 1 })
  await writeFile(join(project, 'package.json'), '{"type": "module"}')
})

afterAll(() => rm(project, { recursive: true, force: true }))

describe('the packed package', () => {
  it('is a client without any other package', async () => {
    const script = `
      const { SyrinxClient, SyrinxError, wavFile } = await import('syrinx/client')
      const browser = await import('syrinx/client/browser')
      const client = new SyrinxClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', retries: 0 })
      const error = await client.usage().catch((error) => error)
      process.stdout.write([error instanceof SyrinxError, error.code, typeof wavFile, ...Object.keys(browser)].join(' '))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: project })
    expect(stdout).toBe('true CONNECTION_FAILED function Microphone Playback Player play')
  })

  it.each([
    ['for Node, without the types of browsers', 'client', ['--lib', 'es2023', '--types', 'node']],
    ['for browsers, without the types of Node', 'client/browser', ['--lib', 'es2023,dom', '--types', '']],
  ])('has types %s', async (_, entry, options) => {
    const file = join(project, 'use.ts')
    await writeFile(
      file,
      `import { SyrinxClient, type Speech } from 'syrinx/client'
       import * as all from 'syrinx/${entry}'
       const speech: Speech = await new SyrinxClient({ baseUrl: '', apiKey: '' }).speak('Hi.', { timestamps: true })
       for await (const samples of speech) samples satisfies Int16Array
       // @ts-expect-error
       await new SyrinxClient({ baseUrl: '', apiKey: '' }).speak('Hi.', { timestamps: 'yes' })
       export { all }`,
    )
    const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc')
    const types = join(import.meta.dirname, '../../node_modules/@types')
    const flags = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--typeRoots',
      types,
      ...options,
    ]
    const compiled = run(process.execPath, [compiler, ...flags, file], { cwd: project })
    await expect(compiled.catch(({ stdout }) => Promise.reject(new Error(stdout)))).resolves.toBeDefined()
  })

  it('brings the page that the node serves', async () => {
    const page = await readFile(join(project, 'node_modules/syrinx/dist/src/playground/playground.html'), 'utf8')
    expect(page).toMatch(/<style>.+<\/style>[\s\S]+<script type="module">.+<\/script>/s)
    expect(page).not.toMatch(/(?:src|href)="(?!data:)/)
  })
})
