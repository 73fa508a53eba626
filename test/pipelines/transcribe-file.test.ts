import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FileTranscriber, type TranscribedPiece } from '../../src/pipelines/transcribe-file.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { Spool } from '../../src/runtime/spool.ts'
import { AUTO_MODE } from '../../src/speech/speech-modes.ts'
import { LoudnessDetector, ScriptedDecoder, ScriptedRecognizer } from '../scripted-listening.ts'

const NINE = Array.from({ length: 9 }, () => '1 -4').join(' ')

async function listening(script: string, inFlightMax = 3) {
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-transcribe-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'upload'), script)
  const spool = await Spool.open(join(folder, 'spool'), 1e9, systemRandom)
  const recognizer = new ScriptedRecognizer()
  const parts = { decoder: new ScriptedDecoder(), detector: new LoudnessDetector(), spool }
  const transcriber = new FileTranscriber(parts, recognizer, inFlightMax)
  const client = new AbortController()
  const recording = await transcriber.open(join(folder, 'upload'), client.signal)
  onTestFinished(() => recording.close())
  const options = { mode: AUTO_MODE, wordTimes: false, signal: client.signal }
  return { recognizer, client, pieces: transcriber.transcribe(recording, options) }
}

async function all(pieces: AsyncIterable<TranscribedPiece>): Promise<TranscribedPiece[]> {
  const found: TranscribedPiece[] = []
  for await (const piece of pieces) found.push(piece)
  return found
}

describe('a file', () => {
  it('is transcribed piece by piece, in order, with times from its own start', async () => {
    const { pieces } = await listening('-2 1 -4 1')
    expect(await all(pieces)).toEqual([
      { index: 0, start: 1.792, end: 3.2, text: 'utterance 0', language: 'zh' },
      { index: 1, start: 6.784, end: 8, text: 'utterance 1', language: 'zh' },
    ])
  })

  it('of silence has nothing to transcribe', async () => {
    const { pieces, recognizer } = await listening('-10')
    expect([await all(pieces), recognizer.segments]).toEqual([[], []])
  })

  it('keeps its order when a later piece is ready first', async () => {
    const { pieces, recognizer } = await listening('1 -4 1 -4 1')
    recognizer.pace = 'by_hand'
    const reading = all(pieces)
    await expect.poll(() => recognizer.held).toBe(3)
    for (const piece of [2, 1, 0]) recognizer.release(piece)
    expect((await reading).map(({ text }) => text)).toEqual(['utterance 0', 'utterance 1', 'utterance 2'])
  })

  it('is worked on a few pieces ahead of its reader, and no further', async () => {
    const { pieces, recognizer } = await listening(NINE)
    await pieces.next()
    await expect.poll(() => recognizer.segments.length).toBe(3)
    await expect.poll(() => recognizer.running).toBe(0)
    expect(recognizer.segments).toHaveLength(3)
    await pieces.next()
    await expect.poll(() => recognizer.segments.length).toBe(4)
    await pieces.return()
  })

  it('one piece at a time if so wanted', async () => {
    const { pieces, recognizer } = await listening(NINE, 1)
    expect(await all(pieces)).toHaveLength(9)
    expect(recognizer.runningMost).toBe(1)
  })

  it('is left at once when its reader leaves the loop', async () => {
    const { pieces, recognizer } = await listening(NINE)
    recognizer.pace = 'by_hand'
    const first = pieces.next()
    await expect.poll(() => recognizer.held).toBe(3)
    recognizer.release()
    await first
    await pieces.return()
    await expect.poll(() => recognizer.running).toBe(0)
    expect(recognizer.segments).toHaveLength(3)
  })

  it('is left within one task when the client leaves', async () => {
    const { pieces, recognizer, client } = await listening(NINE)
    recognizer.pace = 'by_hand'
    const reading = all(pieces)
    await expect.poll(() => recognizer.held).toBe(3)
    client.abort(new Error('left'))
    await expect(reading).rejects.toThrow('left')
    expect([recognizer.running, recognizer.segments.length]).toEqual([0, 3])
  })

  it('is not begun for a client that has left', async () => {
    const { pieces, recognizer, client } = await listening(NINE)
    client.abort(new Error('left'))
    await expect(all(pieces)).rejects.toThrow('left')
    expect(recognizer.segments).toEqual([])
  })

  it('ends with the fault of its first piece that fails, after those before it', async () => {
    const { pieces, recognizer } = await listening(NINE)
    recognizer.failsAt = 2
    expect([(await pieces.next()).value?.index, (await pieces.next()).value?.index]).toEqual([0, 1])
    await expect(pieces.next()).rejects.toThrow('tensor 7')
    expect(await pieces.next()).toEqual({ done: true, value: undefined })
  })
})
