import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import * as limits from '../src/limits.ts'
import { contractSection } from './contract.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Which folders a folder may import from, besides itself. `src/limits.ts` is open to all and imports nothing. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/runtime': [],
  'src/audio': ['src/runtime'],
  'src/speech': ['src/audio', 'src/runtime'],
  'src/ledger': ['src/runtime'],
  'src/inference': ['src/speech', 'src/audio', 'src/runtime'],
  'src/pipelines': ['src/speech', 'src/audio', 'src/runtime'],
  'src/api': ['src/pipelines', 'src/ledger', 'src/speech', 'src/audio', 'src/runtime'],
  'src/http': ['src/api', 'src/runtime'],
  'src/client': [],
  'src/playground': ['src/client'],
  'src/cli': ['src', 'src/ledger', 'src/speech', 'src/runtime', 'models'],
  workers: ['src/speech', 'src/audio', 'src/runtime', 'models'],
  models: ['src/speech', 'src/runtime', 'workers'],
}

/** Packages that only the named files (or folders) import, so that each can be replaced in one place. */
const SOLE_IMPORTERS: Readonly<Record<string, readonly string[]>> = {
  'uWebSockets.js': ['src/http/'],
  piscina: [
    'src/inference/worker-pool.ts',
    'src/inference/thread-pool.ts',
    'workers/inference.ts',
    'workers/detection.ts',
  ],
  lmdb: ['src/ledger/store.ts'],
  '@msgpack/msgpack': ['src/ledger/records.ts'],
  'onnxruntime-node': ['workers/session.ts'],
  'onnx-proto': ['models/onnx/'],
  '@echogarden/espeak-ng-emscripten': ['src/speech/phonemizer.ts'],
  '@fastify/busboy': ['src/http/multipart.ts'],
  '@ffmpeg/core': ['workers/ffmpeg.ts'],
  'wasm-media-encoders': ['workers/codec.ts'],
  tinyld: ['src/speech/languages.ts'],
  'lindera-wasm-nodejs-ipadic': ['src/speech/reading/ipadic.ts'],
  'pinyin-pro': ['src/speech/reading/pinyin.ts'],
  pino: ['src/runtime/log.ts'],
  'prom-client': ['src/runtime/metrics.ts'],
  dotenv: ['src/config.ts'],
  zod: ['src/api/', 'src/config.ts', 'models/'],
  commander: ['src/cli/'],
  esbuild: ['src/playground/bundle.ts'],
  rxjs: ['src/speech/synthesis.ts', 'src/inference/', 'src/pipelines/', 'src/api/'],
}

/** Calls that hide an input (time, chance, settings) or an output, and the one place each belongs to. */
const BANNED: Readonly<Record<string, readonly string[]>> = {
  'Date\\.now\\(': ['src/runtime/clock.ts'],
  'new Date\\(\\)': [],
  'performance\\.now\\(': ['src/runtime/clock.ts', 'src/playground/page/moment.ts'],
  'setTimeout\\(': ['src/runtime/clock.ts', 'src/client/retry.ts'],
  'setInterval\\(': ['src/runtime/clock.ts'],
  'Math\\.random\\(': [],
  'randomBytes\\(': ['src/runtime/random.ts'],
  'process\\.env': ['src/config.ts'],
  'process\\.exit\\(': ['src/cli/'],
  'process\\.std(out|err)': ['src/cli/'],
  'console\\.': [],
}

interface Source {
  readonly path: string
  readonly text: string
  /** Module specifiers, relative ones resolved to a path from the root. */
  readonly imports: readonly string[]
}

const sources = ['src', 'workers', 'models'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readSource(join(folder, file))),
)

function readSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const specifiers = [
    ...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'"=;()]*?\bfrom\s*['"]([^'"]+)['"]/g),
    ...text.matchAll(/(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g),
  ]
  specifiers.push(...text.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g))
  const imports = specifiers.map(([, specifier = '']) =>
    specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier,
  )
  return { path, text: text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''), imports }
}

function folderOf(path: string): string {
  const [top = '', second = ''] = path.split('/')
  return top === 'src' ? (path.split('/').length > 2 ? `src/${second}` : 'src') : top
}

describe('the layers', () => {
  it('import only what lies below them', () => {
    const offences = sources.flatMap(({ path, imports }) => {
      const allowed = MAY_IMPORT[folderOf(path)]
      if (!allowed) return []
      return imports
        .filter((target) => /^(src|workers|models)\//.test(target) && target !== 'src/limits.ts')
        .filter((target) => folderOf(target) !== folderOf(path) && !allowed.includes(folderOf(target)))
        .map((target) => `${path} imports ${target}`)
    })
    expect(offences).toEqual([])
  })

  it('are all in the table, and only the composition root, the settings and the limits stand above them', () => {
    const folders = new Set(sources.map(({ path }) => folderOf(path)))
    expect([...folders].filter((folder) => folder !== 'src').sort()).toEqual(Object.keys(MAY_IMPORT).sort())
    const top = sources.map(({ path }) => path).filter((path) => folderOf(path) === 'src')
    expect(top.sort()).toEqual(['src/config.ts', 'src/limits.ts', 'src/main.ts'])
  })

  it('have no file that imports itself, by however many others', () => {
    expect(circlesOf(sources)).toEqual([])
  })

  it('keep each package in the place that owns it', () => {
    const offences = sources.flatMap(({ path, imports }) =>
      imports
        .map((target) => [target, SOLE_IMPORTERS[packageOf(target)]] as const)
        .filter(
          ([, owners]) =>
            owners && !owners.some((owner) => path === owner || (owner.endsWith('/') && path.startsWith(owner))),
        )
        .map(([target]) => `${path} imports ${target}`),
    )
    expect(offences).toEqual([])
  })

  it('give a client that needs no package and nothing of Node, so that it runs in browsers', () => {
    const client = sources.filter(
      ({ path }) => folderOf(path) === 'src/client' || path.startsWith('src/playground/page/'),
    )
    const foreign = client.flatMap(({ path, imports }) =>
      imports.filter((target) => !target.startsWith('src/')).map((target) => `${path} imports ${target}`),
    )
    expect(foreign).toEqual([])
    const globals = client.filter(({ text }) => /\b(?:Buffer\.|process\.|require\(|__dirname)/.test(text))
    expect(globals.map(({ path }) => path)).toEqual([])
  })

  it('take time, chance, settings and output as parameters', () => {
    const offences = sources.flatMap(({ path, text }) =>
      Object.entries(BANNED)
        .filter(
          ([call, homes]) =>
            new RegExp(`(?<![\\w.])${call}`).test(text) && !homes.some((home) => path.startsWith(home)),
        )
        .map(([call]) => `${path} uses ${call}`),
    )
    expect(offences).toEqual([])
  })
})

describe('the manifest', () => {
  it('depends on nothing that no file imports, and pins every version', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const imported = new Set(sources.flatMap(({ imports }) => imports.map(packageOf)))
    expect(Object.keys(manifest.dependencies).filter((name) => !imported.has(name))).toEqual([])
    const versions = Object.values<string>({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(versions.filter((version) => !/^(npm:\w+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([])
  })
})

describe('the limits', () => {
  /** Rows of the contract's table of limits, with the constants that hold their figures in the order they appear. */
  const FIGURES: Readonly<Record<string, readonly number[]>> = {
    'Text length': [1, limits.TEXT_LENGTH_MAX],
    text_length: [1, limits.TOKEN_TEXT_LENGTH_MAX],
    'Stream text': [],
    'Stream token lifetime': [limits.STREAM_TOKEN_LIFETIME_MS / 1_000],
    duration: [limits.DURATION_SECONDS_MIN, limits.DURATION_SECONDS_MAX],
    speed: [limits.SPEED_MIN, limits.SPEED_MAX],
    cfg_value: [limits.CFG_VALUE_MIN, limits.CFG_VALUE_MAX],
    dit_steps: [0, limits.DIT_STEPS_MAX],
    'Enrollment file size': [limits.ENROLLMENT_FILE_BYTES_MAX / 2 ** 20],
    'Voice name': [limits.VOICE_NAME_LENGTH_MAX],
    'Voices per regular account': [limits.VOICES_PER_ACCOUNT_MAX],
    'Enrollment rate': [limits.ENROLLMENTS_PER_MINUTE_MAX, 429],
    voiceIds: [limits.VOICE_IDS_MAX],
    'STT upload size': [limits.STT_UPLOAD_BYTES_MAX / 2 ** 20],
    'STT decoded duration': [limits.STT_SECONDS_MIN, limits.STT_SECONDS_MAX],
    'Lifetime ceiling per key': [],
    'WebSocket frame': [limits.FRAME_MS],
  }

  it('are those of the contract, row for row', () => {
    const rows = contractSection('Limits')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| Limit '))
      .map((line) => line.split('|').map((cell) => cell.trim()))
    const found = rows.map(([, name = '', value = '']) => [name, figuresOf(value)])
    expect(Object.fromEntries(found)).toEqual(FIGURES)
  })
})

/** Each as the way around it. */
function circlesOf(files: readonly Source[]): string[] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]))
  const seen = new Set<string>()
  const circlesFrom = (path: string, way: readonly string[]): string[] => {
    if (way.includes(path)) return [[...way.slice(way.indexOf(path)), path].join(' → ')]
    if (seen.has(path)) return []
    seen.add(path)
    return (importsOf.get(path) ?? []).flatMap((next) => circlesFrom(next, [...way, path]))
  }
  return files.flatMap(({ path }) => circlesFrom(path, []))
}

function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}

function figuresOf(text: string): number[] {
  return [...text.replaceAll(/(\d),(\d{3})/g, '$1$2').matchAll(/\d+(?:\.\d+)?/g)].map(([figure]) => Number(figure))
}
