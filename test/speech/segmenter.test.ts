import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SEGMENTER_SETTINGS, Segmenter, type SpeechChange } from '../../src/speech/segmenter.ts'

const WINDOW = 512
const windows = (ms: number) => Math.round(ms / 32)

/** `1000 -600`: a second of speech, and 0.6 s of silence. */
function probabilities(...ms: number[]): number[] {
  return ms.flatMap((length) => new Array<number>(windows(Math.abs(length))).fill(length > 0 ? 0.9 : 0.05))
}

function hear(segmenter: Segmenter, all: readonly number[]): SpeechChange[] {
  return all.flatMap((probability) => segmenter.push(probability))
}

const ended = (changes: readonly SpeechChange[]) =>
  changes.flatMap((change) => (change.kind === 'ended' ? [[change.start / WINDOW, change.end / WINDOW]] : []))
const kinds = (changes: readonly SpeechChange[]) => changes.map(({ kind }) => kind)

describe('a segment', () => {
  it('ends when there is enough quiet, with a pad in front and what the pause handed out behind', () => {
    const segmenter = new Segmenter()
    const speech = probabilities(-640, 960)
    expect(hear(segmenter, speech)).toEqual([])
    const quiet = hear(segmenter, probabilities(-512))
    const [start, end] = [20 - 8, 50 + 6].map((window) => window * WINDOW)
    expect(quiet).toEqual([
      { kind: 'paused', start, end },
      { kind: 'ended', start, end },
    ])
  })

  it('is told to be over at the very window that completes the silence', () => {
    const segmenter = new Segmenter()
    hear(segmenter, probabilities(960))
    expect(kinds(hear(segmenter, probabilities(-480)))).toEqual(['paused'])
    expect(kinds(segmenter.push(0.05))).toEqual(['ended'])
  })

  it('goes on after a pause that is too short to end it', () => {
    const segmenter = new Segmenter()
    const changes = hear(segmenter, probabilities(960, -320, 960, -512))
    expect(kinds(changes)).toEqual(['paused', 'resumed', 'paused', 'ended'])
    expect(ended(changes)).toEqual([[0, 30 + 10 + 30 + 6]])
  })

  it('does not end at a weak syllable, and does not begin with one', () => {
    const between = (SEGMENTER_SETTINGS.onsetProbability + SEGMENTER_SETTINGS.offsetProbability) / 2
    const weak = new Array<number>(40).fill(between)
    expect(hear(new Segmenter(), [...weak, ...probabilities(-640)])).toEqual([])
    expect(ended(hear(new Segmenter(), [...probabilities(320), ...weak, ...probabilities(-512)]))).toEqual([[0, 56]])
  })

  it('is not made of a click', () => {
    const segmenter = new Segmenter()
    expect(hear(segmenter, probabilities(-320, 64, -640))).toEqual([])
    expect(segmenter.flush(WINDOW * 32)).toEqual([])
  })

  it('does not reach into the one before it', () => {
    const segmenter = new Segmenter()
    hear(segmenter, probabilities(960))
    segmenter.flush(30 * WINDOW)
    expect(ended(hear(segmenter, probabilities(-96, 960, -512)))).toEqual([[30, 33 + 30 + 6]])
  })

  it('ends where it is told to', () => {
    const segmenter = new Segmenter()
    hear(segmenter, probabilities(960, -96))
    expect(segmenter.flush(17_000)).toEqual([{ kind: 'ended', start: 0, end: 17_000 }])
    expect(segmenter.flush(17_000)).toEqual([])
  })

  it('needs ever shorter pauses as it grows longer', () => {
    const pauseAfter = (ms: number) => {
      const segmenter = new Segmenter()
      hear(segmenter, probabilities(ms))
      let pause = 0
      for (let changes: SpeechChange[] = []; ended(changes).length === 0; pause += 32) changes = segmenter.push(0.05)
      return pause
    }
    expect([2_000, 9_000].map(pauseAfter)).toEqual([512, 512])
    expect(pauseAfter(18_976)).toBe(320)
    expect(pauseAfter(27_500)).toBeLessThanOrEqual(160)
  })

  it('without any pause is cut where it is quietest, and goes on without a gap', () => {
    const segmenter = new Segmenter()
    const all = probabilities(28_000)
    all[400] = 0.4
    const changes = hear(segmenter, [...all, ...probabilities(960, -512)])
    expect(ended(changes)).toEqual([
      [0, 400],
      [400, 875 + 30 + 6],
    ])
  })

  it('is never too long for the recogniser, whatever is said', () => {
    const speech = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.double({ min: 0, max: 1, noNaN: true })), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(speech, (stretches) => {
        const segmenter = new Segmenter()
        const all = stretches.flatMap(([length, probability]) => new Array<number>(length).fill(probability))
        const changes = [...hear(segmenter, all), ...segmenter.flush(all.length * WINDOW)]
        let last = 0
        for (const [start = 0, end = 0] of ended(changes)) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThan(start)
          expect((end - start) * 32).toBeLessThan(29_000)
          last = end
        }
        expect(last).toBeLessThanOrEqual(all.length)
      }),
    )
  })

  it('of a pause holds what the end will hold, for as long as nobody speaks again', () => {
    const speech = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 30 })
    fc.assert(
      fc.property(speech, (lengths) => {
        const segmenter = new Segmenter()
        const all = lengths.flatMap((length, i) => new Array<number>(length).fill(i % 2 === 0 ? 0.9 : 0.1))
        let paused: SpeechChange | undefined
        for (const change of hear(segmenter, all)) {
          if (change.kind === 'ended' && paused !== undefined) expect({ ...change, kind: 'paused' }).toEqual(paused)
          paused = change.kind === 'paused' ? change : undefined
        }
      }),
    )
  })
})

describe('what is needed of the audio', () => {
  it('is a pad while nobody speaks, and the whole segment while somebody does', () => {
    const segmenter = new Segmenter()
    hear(segmenter, probabilities(-3_200))
    expect(segmenter.neededFrom).toBe((100 - 8) * WINDOW)
    hear(segmenter, probabilities(9_600))
    expect([segmenter.neededFrom, segmenter.speechFrom]).toEqual([(100 - 8) * WINDOW, (100 - 8) * WINDOW])
    hear(segmenter, probabilities(-192))
    expect(segmenter.speechFrom).toBeUndefined()
    hear(segmenter, probabilities(-3_200))
    expect(segmenter.neededFrom).toBe((100 + 300 + 6 + 100 - 8) * WINDOW)
  })
})
