import { describe, expect, it } from 'vitest'
import { Playback } from '../../bench/playback.ts'

function play(...arrivals: readonly (readonly [at: number, audioMs: number])[]): Playback {
  const playback = new Playback()
  for (const [at, audioMs] of arrivals) playback.receive(at, audioMs)
  return playback
}

describe('Playback', () => {
  it('is never silent while audio comes before it is due', () => {
    const { audioMs, silenceMs, gapMsMax } = play([1_000, 200], [1_200, 400], [1_300, 400])
    expect({ audioMs, silenceMs, gapMsMax }).toEqual({ audioMs: 1_000, silenceMs: 0, gapMsMax: 0 })
  })

  it('goes on after a gap, so that one late arrival is one gap', () => {
    const { silenceMs, gapMsMax } = play([0, 200], [250, 200], [450, 200], [680, 200])
    expect({ silenceMs, gapMsMax }).toEqual({ silenceMs: 80, gapMsMax: 50 })
  })
})
