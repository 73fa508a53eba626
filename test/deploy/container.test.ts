import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const dockerfile = readFileSync(`${ROOT}deploy/Dockerfile`, 'utf8')
const ignored = readFileSync(`${ROOT}deploy/Dockerfile.dockerignore`, 'utf8').split('\n')

/** Instructions, their continued lines joined. */
const instructions = dockerfile
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
const named = (name: string) =>
  instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))

describe('the image', () => {
  it('copies only what exists, and what its ignore file lets through', () => {
    const sources = named('COPY')
      .filter((line) => !line.startsWith('--'))
      .flatMap((line) => line.split(' ').slice(0, -1))
    expect(sources.filter((source) => !existsSync(`${ROOT}${source.replace('*', '')}`))).toEqual([])
    expect(sources.filter((source) => !ignored.includes(`!${source}`))).toEqual([])
  })

  it('compiles everything that the program is made of', () => {
    const { include } = JSON.parse(readFileSync(`${ROOT}tsconfig.json`, 'utf8')) as { include: string[] }
    const copied = named('COPY').map((line) => line.split(' ')[0])
    expect(include.filter((folder) => folder !== 'bench' && !copied.includes(folder))).toEqual([])
  })

  it('runs as a user without rights, with settings that the node knows and no first account', () => {
    expect(named('USER')).toEqual(['node'])
    const settings = named('ENV')
      .flatMap((line) => line.split(' '))
      .map((setting) => setting.split('='))
    const config = parseConfig(Object.fromEntries(settings))
    expect([config.unknownNames, config.host, config.bootstrap]).toEqual([[], '0.0.0.0', false])
    expect(named('VOLUME')).toEqual([config.dataDir])
    expect(named('EXPOSE')).toEqual([String(config.port)])
  })

  it('starts the program that the package names, and asks it whether it is ready', () => {
    const { bin } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { bin: { syrinx: string } }
    expect(named('CMD')).toEqual([JSON.stringify(['node', bin.syrinx, 'serve']).replaceAll(',', ', ')])
    expect(named('HEALTHCHECK').join()).toContain('/readyz')
  })

  it('keeps the binaries that its own Node loads, and no others', () => {
    const folder = mkdtempSync(join(tmpdir(), 'syrinx-image-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const packages = ['uWebSockets.js', 'onnxruntime-node/bin'].map((name) => join('node_modules', name))
    const all = packages.flatMap((name) => filesBelow(ROOT, name))
    for (const file of all) {
      mkdirSync(join(folder, dirname(file)), { recursive: true })
      writeFileSync(join(folder, file), '')
    }
    for (const line of named('RUN').filter((run) => run.includes('node_modules'))) {
      execFileSync('sh', ['-c', line], { cwd: folder })
    }
    const { platform, arch, versions } = process
    // As `uws.js` and the `binding.js` of ONNX Runtime name them.
    const own = [`/uws_${platform}_${arch}_${versions.modules}.node`, `/bin/napi-v6/${platform}/${arch}/`]
    const isBinary = (file: string) => file.endsWith('.node') || file.includes('/bin/')
    const wanted = all.filter((file) => !isBinary(file) || own.some((part) => file.includes(part)))
    expect(packages.flatMap((name) => filesBelow(folder, name)).sort()).toEqual(wanted.sort())
    expect(own.filter((part) => !wanted.some((file) => file.includes(part)))).toEqual([])
  })

  it('names no host', () => {
    const code = instructions.join('\n').replaceAll(/http:\/\/127\.0\.0\.1\S*/g, '')
    expect(code).not.toMatch(/https?:\/\/|curl|wget/)
  })
})

/** Paths of all files in a folder, relative to `root`. */
function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(join(root, path)).isFile())
}
