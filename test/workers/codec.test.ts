import { afterAll, describe, expect, it } from 'vitest'
import { CodecPool } from '../../src/inference/codec-pool.ts'

const RATE = 24_000
const pool = new CodecPool('dist/workers/codec.js')
afterAll(() => pool.close())

function tone(seconds: number): Int16Array<ArrayBuffer> {
  return Int16Array.from({ length: seconds * RATE }, (_, i) => 8_000 * Math.sin((2 * Math.PI * 440 * i) / RATE))
}

/** Frames of an MPEG-2 layer III stream: 576 samples each. Throws where one doesn't follow the other. */
function countFrames(file: Uint8Array): number {
  let frames = 0
  for (let at = 0; at < file.length; frames++) {
    const header = Buffer.from(file).readUInt32BE(at)
    if (header >>> 20 !== 0xfff && header >>> 21 !== 0x7ff) throw new Error(`no frame at byte ${at}`)
    const kbit = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160][(header >>> 12) & 15]!
    at += Math.floor((72_000 * kbit) / RATE) + ((header >>> 9) & 1)
  }
  return frames
}

describe('the codec thread', () => {
  it('makes an MP3 stream of whole frames that is as long as the sound', async () => {
    const file = await pool.encodeMp3(tone(3), RATE)
    const seconds = (countFrames(file) * 576) / RATE
    expect(seconds).toBeGreaterThanOrEqual(3)
    expect(seconds).toBeLessThan(3.2)
  })

  it('starts afresh for each file', async () => {
    const [first, second] = [await pool.encodeMp3(tone(1), RATE), await pool.encodeMp3(tone(1), RATE)]
    expect(Buffer.compare(first, second)).toBe(0)
  })

  it('encodes streams beside each other, each as if it were alone', async () => {
    const whole = await pool.encodeMp3(tone(2), RATE)
    const streams = [pool.openMp3(RATE), pool.openMp3(RATE)]
    const files: Uint8Array[][] = streams.map(() => [])
    for (let at = 0; at < 2 * RATE; at += 4_800) {
      for (const [i, stream] of streams.entries()) files[i]?.push(await stream.push(tone(2).slice(at, at + 4_800)))
    }
    for (const [i, stream] of streams.entries()) files[i]?.push(await stream.finish())
    for (const file of files) expect(Buffer.compare(Buffer.concat(file), whole)).toBe(0)
  })

  it('uses the encoder of a stream that was given up as a new one', async () => {
    const whole = await pool.encodeMp3(tone(1), RATE)
    const stream = pool.openMp3(RATE)
    await stream.push(tone(1))
    stream.discard()
    expect(Buffer.compare(await pool.encodeMp3(tone(1), RATE), whole)).toBe(0)
  })
})
