import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
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

  it('names no host', () => {
    const code = instructions.join('\n').replaceAll(/http:\/\/127\.0\.0\.1\S*/g, '')
    expect(code).not.toMatch(/https?:\/\/|curl|wget/)
  })
})
