import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { forbidTelemetry } from '../src/config.ts'
import { renderReport, renderTable } from './report.ts'
import type { BenchTable } from './table.ts'

/** `npm run bench [-- name …]`: measures and rewrites the sections of the report; the figures themselves are kept as JSON. */
const BENCHMARKS: Readonly<Record<string, () => Promise<BenchTable[]>>> = {
  'first-audio': async () => (await import('./first-audio.bench.ts')).firstAudioBench(),
  listeners: async () => (await import('./listeners.bench.ts')).listenersBench(),
  overload: async () => [await (await import('./overload.bench.ts')).overloadBench()],
  cancel: async () => [await (await import('./cancel.bench.ts')).cancelBench()],
  memory: async () => [await (await import('./memory.bench.ts')).memoryBench()],
  quality: async () => (await import('./quality.bench.ts')).qualityBench(),
  voices: async () => (await import('./voices.bench.ts')).voicesBench(),
  'stt-model': async () => [await (await import('./stt-model.bench.ts')).sttModelBench()],
  'file-stt': async () => (await import('./file-stt.bench.ts')).fileSttBench(),
  'live-stt': async () => (await import('./live-stt.bench.ts')).liveSttBench(),
  vad: async () => [await (await import('./vad.bench.ts')).vadBench()],
  rest: async () => [await (await import('./rest.bench.ts')).restBench()],
  ledger: async () => [await (await import('./ledger.bench.ts')).ledgerBench()],
  micro: async () => [await (await import('./micro.bench.ts')).microBench()],
}

forbidTelemetry()

// npm runs every script in the root of the project.
const FOLDER = resolve('bench')

const names = process.argv.slice(2)
const unknown = names.filter((name) => !(name in BENCHMARKS))
if (unknown.length > 0) {
  process.stderr.write(`unknown benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}\n`)
  process.exit(2)
}

const measured: Record<string, BenchTable[]> = JSON.parse(
  await readFile(`${FOLDER}/report.json`, 'utf8').catch(() => '{}'),
)
for (const name of names.length > 0 ? names : Object.keys(BENCHMARKS)) {
  process.stderr.write(`${name} …\n`)
  const tables = await BENCHMARKS[name]!()
  measured[name] = tables
  process.stdout.write(`${tables.flatMap(renderTable).join('\n')}\n`)
}

const sections = Object.keys(BENCHMARKS).flatMap((name) => (measured[name] ? [{ name, tables: measured[name] }] : []))
await writeFile(`${FOLDER}/report.json`, `${JSON.stringify(measured, null, 1)}\n`)
await writeFile(`${FOLDER}/REPORT.md`, renderReport(sections, new Date()))
process.exit(0)
