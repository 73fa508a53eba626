import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, parseConfig } from '../src/config.ts'

describe('the settings', () => {
  it('have the documented defaults', () => {
    expect(parseConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: resolve('data'),
      modelsDir: `${homedir()}/.cache/syrinx/models`,
      bootstrap: true,
      openai: false,
      playground: true,
      ttsEngine: 'kokoro',
      sttEngine: 'whisper',
      logLevel: 'info',
      drainSeconds: 30,
      unknownNames: [],
    })
  })

  it('follow the environment; an empty value counts as none', () => {
    const config = parseConfig({
      SYRINX_PORT: '0',
      SYRINX_BOOTSTRAP: 'off',
      SYRINX_HOST: '',
      SYRINX_PUBLIC_URL: 'https://speech.example.com/',
      XDG_CACHE_HOME: '/var/cache',
    })
    expect(config).toMatchObject({
      port: 0,
      bootstrap: false,
      host: '127.0.0.1',
      publicUrl: 'https://speech.example.com',
      modelsDir: '/var/cache/syrinx/models',
    })
  })

  it('name every bad value and its rule at once', () => {
    const bad = { SYRINX_PORT: '70000', SYRINX_WORKERS: 'many', SYRINX_PUBLIC_WS_URL: 'http://no' }
    expect(() => parseConfig(bad)).toThrow(ConfigError)
    for (const rule of [
      /SYRINX_PORT: must be 0 to 65535/,
      /SYRINX_WORKERS: must be a whole number/,
      /SYRINX_PUBLIC_WS_URL: .*ws:/,
    ]) {
      expect(() => parseConfig(bad)).toThrow(rule)
    }
  })

  it('list names that mean nothing', () => {
    expect(parseConfig({ SYRINX_PROT: '1', OTHER: '2' }).unknownNames).toEqual(['SYRINX_PROT'])
  })
})
