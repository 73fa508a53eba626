import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONTAINER_HEAD_BYTES, detectContainer, tagBytes } from '../../src/audio/container.ts'
import { wavHeader } from '../../src/audio/wav.ts'

const FIXTURES = new URL('../fixtures/audio/', import.meta.url)
const BY_EXTENSION: Readonly<Record<string, string>> = {
  ...{
    wav: 'wav',
    mp3: 'mp3',
    ogg: 'ogg',
    opus: 'ogg',
    webm: 'webm',
    weba: 'webm',
    m4a: 'mp4',
    m4b: 'mp4',
    mp4: 'mp4',
  },
  ...{ flac: 'flac', aac: 'aac', aiff: 'aiff', aifc: 'aiff', caf: 'caf', wma: 'wma', amr: 'amr' },
}
const files = readdirSync(FIXTURES).filter((name) => !name.endsWith('.md'))

describe('a container', () => {
  it.each(files)('is recognised by its bytes: %s', (name) => {
    const bytes = readFileSync(new URL(name, FIXTURES))
    const head = bytes.subarray(tagBytes(bytes)).subarray(0, CONTAINER_HEAD_BYTES)
    expect(detectContainer(head)).toBe(BY_EXTENSION[name.split('.').at(-1) ?? ''])
  })

  it.each([
    ['nothing', ''],
    ['text', 'Dear Sir or Madam'],
    ['JSON', '{"text":"hello"}'],
    ['a page', '<!doctype html><html>'],
    ['another RIFF', 'RIFF\0\0\0\0AVI LIST'],
    ['another IFF', 'FORM\0\0\0\x008SVXVHDR'],
    ['a ZIP', 'PK\x03\x04\x14\0\0\0'],
    ['a picture', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
    ['zeros', '\0'.repeat(1_000)],
    ['one frame header and then something else', '\xff\xfb\x90\x00 and then text'],
  ])('is not seen in %s', (_, text) => {
    expect(detectContainer(Buffer.from(text, 'latin1'))).toBeUndefined()
  })

  it('is recognised behind padding', () => {
    const mp3 = readFileSync(new URL('tone.mp3', FIXTURES)).subarray(0, CONTAINER_HEAD_BYTES)
    const start = tagBytes(mp3)
    expect(detectContainer(Buffer.concat([Buffer.alloc(500), mp3.subarray(start)]))).toBe('mp3')
  })

  it('is recognised in a stream that begins in the middle of a frame', () => {
    for (const [name, container] of [
      ['tone.mp3', 'mp3'],
      ['tone.aac', 'aac'],
    ] as const) {
      const bytes = readFileSync(new URL(name, FIXTURES))
      const cut = bytes.subarray(tagBytes(bytes) + 777)
      expect(detectContainer(cut)).toBe(container)
    }
  })

  it('is not seen in noise', () => {
    const noise = fc.uint8Array({ minLength: CONTAINER_HEAD_BYTES, maxLength: CONTAINER_HEAD_BYTES })
    fc.assert(
      fc.property(noise, (bytes) => {
        expect(detectContainer(bytes)).toBeUndefined()
      }),
      { numRuns: 20, seed: 1 },
    )
  })

  it('is looked for without a fault in any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        detectContainer(bytes)
        expect(tagBytes(bytes)).toBeGreaterThanOrEqual(0)
        expect(detectContainer(Buffer.concat([wavHeader(8_000, 0), bytes]))).toBe('wav')
      }),
    )
  })
})

describe('a tag', () => {
  it('is as long as it says, with its header and footer', () => {
    const tag = Uint8Array.of(0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 2, 1)
    expect(tagBytes(tag)).toBe(10 + 257)
    expect(tagBytes(tag.with(5, 0x10))).toBe(10 + 257 + 10)
  })

  it('is not there without its mark', () => {
    expect(tagBytes(Buffer.from('ID2 something else'))).toBe(0)
    expect(tagBytes(Buffer.from('ID3'))).toBe(0)
  })
})
