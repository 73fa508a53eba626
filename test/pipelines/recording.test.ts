import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Recording } from '../../src/pipelines/recording.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { Spool, SpoolFull } from '../../src/runtime/spool.ts'
import { LoudnessDetector, ScriptedDecoder } from '../scripted-listening.ts'

const never = new AbortController().signal

async function workplace(bytesMax = 1e9) {
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-recording-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const spool = await Spool.open(join(folder, 'spool'), bytesMax, systemRandom)
  const decoder = new ScriptedDecoder()
  const detector = new LoudnessDetector()
  return {
    decoder,
    detector,
    spool,
    async open(script: string, signal = never): Promise<Recording> {
      await writeFile(join(folder, 'upload'), script)
      const recording = await Recording.open(join(folder, 'upload'), { decoder, detector, spool }, signal)
      onTestFinished(() => recording.close())
      return recording
    },
    files: () => readdir(join(folder, 'spool')),
  }
}

describe('a recording', () => {
  it('is as long as its audio, and knows where somebody speaks', async () => {
    const { open } = await workplace()
    const recording = await open('-1 2 -5.5 3')
    expect(recording.durationSeconds).toBe(11.5)
    const inSeconds = recording.pieces.map(({ start, end }) => [start / 16_000, end / 16_000])
    expect(inSeconds).toEqual([
      [0.8, 3.2],
      [8.288, 11.5],
    ])
  })

  it('hands out the samples of a piece', async () => {
    const { open } = await workplace()
    const recording = await open('-1 2 -5.5 3')
    const [first, second] = await Promise.all(recording.pieces.map((piece) => recording.samplesOf(piece)))
    expect(first).toHaveLength(2.4 * 16_000)
    expect([first?.[0], first?.[16_000], first?.at(-1)]).toEqual([0, 8_000 / 32_768, 0])
    expect(second?.at(-1)).toBe(8_001 / 32_768)
  })

  it('takes only the room its audio needs, and gives that back', async () => {
    const { open, spool, files } = await workplace()
    const recording = await open('3')
    expect([spool.usedBytes, (await files()).length]).toEqual([3 * 32_000, 1])
    await recording.close()
    await recording.close()
    expect([spool.usedBytes, await files()]).toEqual([0, []])
  })

  it.each([
    ['unsupported', 'unsupported', /container/],
    ['undecodable', 'undecodable', /damaged/],
    ['too_long', 'too_long', /at most 1800 seconds/],
    ['0.1', 'too_short', /at least 0.2 seconds/],
    ['-0.1', 'too_short', /at least 0.2 seconds/],
  ])('of %s is refused', async (script, reason, message) => {
    const { open, spool, files } = await workplace()
    await expect(open(script)).rejects.toMatchObject({ reason, message: expect.stringMatching(message) })
    expect([spool.usedBytes, await files()]).toEqual([0, []])
  })

  it('of about 0.2 s is taken', async () => {
    const { open } = await workplace()
    expect((await open('0.19')).durationSeconds).toBeCloseTo(0.19)
  })

  it('finds no room in a full spool', async () => {
    const { open, files } = await workplace(1_000_000)
    await expect(open('1')).rejects.toThrow(SpoolFull)
    expect(await files()).toEqual([])
  })

  it('is not opened for somebody who has left', async () => {
    const { open, decoder, files } = await workplace()
    const leaving = new AbortController()
    decoder.gate = Promise.resolve().then(() => leaving.abort(new Error('left')))
    await expect(open('1', leaving.signal)).rejects.toThrow('left')
    expect(await files()).toEqual([])
  })

  it('stops looking for speech when nobody wants to know any more', async () => {
    const { open, detector, files } = await workplace()
    const leaving = new AbortController()
    let looks = 0
    detector.open = () => ({
      async push(samples: Float32Array) {
        looks += 1
        if (looks === 3) leaving.abort(new Error('left'))
        return new Float32Array(samples.length / 512)
      },
    })
    await expect(open('-60', leaving.signal)).rejects.toThrow('left')
    expect([looks, await files()]).toEqual([3, []])
  })
})
