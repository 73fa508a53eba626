import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PlayerMessage, type PlayerStatus, playerWorklet } from '../../src/client/browser/player-worklet.ts'
import type { WorkletPort } from '../../src/client/browser/worklet-scope.ts'

interface Processor {
  process(inputs: unknown, outputs: Float32Array[][]): boolean
}

const BLOCK = 128

/** A processor outside of a browser: samples of `sampleRate` Hz, heard at `contextRate`. */
class Playing {
  readonly #processor: Processor
  readonly #port: WorkletPort & { onmessage: ((event: { readonly data: never }) => void) | null }
  readonly statuses: PlayerStatus[] = []
  goesOn = true

  constructor(sampleRate: number, contextRate: number) {
    const port: WorkletPort = { onmessage: null, postMessage: (status) => this.statuses.push(status as PlayerStatus) }
    let made: (new (options: never) => object) | undefined
    playerWorklet({
      AudioWorkletProcessor: class {
        readonly port = port
      },
      sampleRate: contextRate,
      registerProcessor(_, processor) {
        made = processor
      },
    })
    if (made === undefined) throw new Error('no processor was registered')
    this.#processor = new made({ processorOptions: { sampleRate } } as never) as Processor
    this.#port = port
  }

  tell(...messages: PlayerMessage[]): void {
    for (const data of messages) this.#port.onmessage?.({ data: data as never })
  }

  write(...chunks: readonly Int16Array[]): void {
    this.tell(...chunks.map((samples) => ({ type: 'samples', samples: Int16Array.from(samples) }) as const))
  }

  hear(blocks: number): Float32Array {
    const heard = new Float32Array(blocks * BLOCK)
    for (let i = 0; i < blocks; i++) {
      this.goesOn = this.#processor.process([], [[heard.subarray(i * BLOCK, (i + 1) * BLOCK)]])
    }
    return heard
  }

  hearToTheEnd(): number[] {
    this.tell({ type: 'end' })
    const heard: number[] = []
    while (this.goesOn) heard.push(...this.hear(1))
    return heard
  }

  get status(): PlayerStatus {
    return this.statuses.at(-1) ?? { state: 'waiting', played: 0, buffered: 0, underruns: 0, silentFrames: 0 }
  }
}

const sine = (hertz: number, sampleRate: number, length: number, amplitude = 0.5) =>
  Int16Array.from({ length }, (_, i) =>
    Math.round(Math.sin((2 * Math.PI * hertz * i) / sampleRate) * amplitude * 32_768),
  )

function cut(samples: Int16Array, lengths: readonly number[]): Int16Array[] {
  const chunks: Int16Array[] = []
  let at = 0
  for (const length of lengths) {
    chunks.push(samples.subarray(at, at + length))
    at += length
  }
  return [...chunks, samples.subarray(at)]
}

describe('playback at the rate of the speech', () => {
  it('is the samples themselves, however they were cut, from the first block on', () => {
    const samples = sine(440, 24_000, 2_000)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 8 }), (lengths) => {
        const playing = new Playing(24_000, 24_000)
        playing.write(...cut(samples, lengths))
        const heard = playing.hearToTheEnd()
        expect(heard.slice(0, 2_000)).toEqual(Array.from(samples, (sample) => sample / 32_768))
        expect(playing.status).toEqual({ state: 'ended', played: 2_000, buffered: 0, underruns: 0, silentFrames: 0 })
      }),
    )
  })

  it('is silent until the first samples come, and does not count that as a gap', () => {
    const playing = new Playing(24_000, 24_000)
    expect(playing.hear(20).every((value) => value === 0)).toBe(true)
    playing.write(Int16Array.of(16_384))
    expect(playing.hearToTheEnd()[0]).toBe(0.5)
    expect(playing.status.underruns).toBe(0)
  })
})

describe('playback at another rate', () => {
  it.each([[48_000], [44_100], [16_000], [96_000]])('is the same signal, to 70 dB, at %i Hz', (contextRate) => {
    const hertz = 1_000
    const playing = new Playing(24_000, contextRate)
    playing.write(sine(hertz, 24_000, 6_000))
    const heard = playing.hearToTheEnd()
    expect(Math.abs(heard.findLastIndex((value) => value !== 0) + 1 - (6_000 * contextRate) / 24_000)).toBeLessThan(3)
    // Not the edges, where the sine begins and ends and the filter rings.
    let [error, power] = [0, 0]
    for (let i = 200; i < heard.length - 600; i++) {
      const wanted = 0.5 * Math.sin((2 * Math.PI * hertz * i) / contextRate)
      error += (heard[i]! - wanted) ** 2
      power += wanted ** 2
    }
    expect(10 * Math.log10(power / error)).toBeGreaterThan(70)
  })

  it('does not depend on where the samples were cut', () => {
    const samples = sine(300, 24_000, 1_500)
    const whole = new Playing(24_000, 44_100)
    whole.write(samples)
    const expected = whole.hearToTheEnd()
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 6 }), (lengths) => {
        const playing = new Playing(24_000, 44_100)
        playing.write(...cut(samples, lengths))
        expect(playing.hearToTheEnd()).toEqual(expected)
        expect(playing.status.played).toBe(1_500)
      }),
      { numRuns: 30 },
    )
  })
})

describe('playback that runs dry', () => {
  it('counts one gap and its length, fades out, and goes on faded in once a tenth of a second has come', () => {
    const playing = new Playing(24_000, 24_000)
    playing.write(new Int16Array(BLOCK).fill(16_384))
    playing.hear(1)
    const gap = playing.hear(3)
    expect(gap[0]).toBeCloseTo(0.485)
    expect(Math.abs(gap.at(-1)!)).toBeLessThan(1e-4)
    playing.write(new Int16Array(2_399).fill(16_384))
    expect(Math.abs(playing.hear(1).at(-1)!)).toBeLessThan(1e-4)
    playing.write(new Int16Array(1).fill(16_384))
    const again = playing.hear(2)
    expect(again[0]).toBe(0)
    expect(again[60]).toBeCloseTo(0.25, 1)
    expect(again.at(-1)).toBe(0.5)
    playing.hearToTheEnd()
    expect(playing.status).toMatchObject({ underruns: 1, silentFrames: 4 * BLOCK, played: BLOCK + 2_400 })
  })

  it('gathers more each time it happens', () => {
    const playing = new Playing(24_000, 24_000)
    const gathered: number[] = []
    for (let gaps = 1; gaps <= 6; gaps++) {
      playing.write(new Int16Array(24_000))
      while (playing.status.state !== 'waiting' || playing.status.underruns < gaps) playing.hear(1)
      let blocks = 0
      while (playing.status.state === 'waiting') {
        playing.write(new Int16Array(240))
        playing.hear(1)
        blocks++
      }
      gathered.push(blocks / 100)
    }
    expect(gathered).toEqual([0.1, 0.2, 0.4, 0.8, 1.6, 2])
  })

  it('is no gap at the end', () => {
    const playing = new Playing(24_000, 48_000)
    playing.write(sine(440, 24_000, 1_000))
    playing.hearToTheEnd()
    expect(playing.status).toMatchObject({ state: 'ended', underruns: 0, silentFrames: 0 })
  })
})

describe('a pause', () => {
  it('fades out within 5 ms, keeps the rest, and goes on where it was', () => {
    const playing = new Playing(24_000, 24_000)
    playing.write(new Int16Array(24_000).fill(16_384))
    playing.hear(1)
    playing.tell({ type: 'pause', isPaused: true })
    const fading = playing.hear(2)
    expect(fading[60]).toBeCloseTo(0.25, 1)
    expect(fading.at(-1)).toBe(0)
    expect(playing.status.state).toBe('paused')
    const { buffered } = playing.status
    playing.hear(50)
    expect(playing.status.buffered).toBe(buffered)
    playing.tell({ type: 'pause', isPaused: false })
    expect(playing.hear(2).at(-1)).toBe(0.5)
    playing.hearToTheEnd()
    expect(playing.status).toMatchObject({ played: 24_000, underruns: 0 })
  })

  it('before the first samples holds them back', () => {
    const playing = new Playing(24_000, 24_000)
    playing.tell({ type: 'pause', isPaused: true })
    playing.hear(1)
    playing.write(new Int16Array(1_000).fill(16_384))
    expect(playing.hear(5).every((value) => value === 0)).toBe(true)
    playing.tell({ type: 'pause', isPaused: false })
    expect(playing.hear(5).some((value) => value > 0.4)).toBe(true)
  })
})

describe('a stop', () => {
  it('fades out within 5 ms and ends, whatever is left', () => {
    const playing = new Playing(24_000, 24_000)
    playing.write(new Int16Array(24_000).fill(16_384))
    playing.hear(1)
    playing.tell({ type: 'stop' })
    playing.hear(2)
    expect([playing.goesOn, playing.status.state]).toEqual([false, 'ended'])
  })

  it('ends what has not begun, and what is paused', () => {
    const empty = new Playing(24_000, 48_000)
    empty.tell({ type: 'stop' })
    empty.hear(1)
    expect(empty.status.state).toBe('ended')
    const paused = new Playing(24_000, 48_000)
    paused.write(new Int16Array(24_000).fill(16_384))
    paused.tell({ type: 'pause', isPaused: true })
    paused.hear(5)
    paused.tell({ type: 'stop' })
    paused.hear(1)
    expect(paused.status.state).toBe('ended')
  })
})
