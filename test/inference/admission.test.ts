import { describe, expect, it } from 'vitest'
import { CapacityAdmission } from '../../src/inference/admission.ts'
import { CostModel } from '../../src/inference/cost-model.ts'
import type { Work } from '../../src/speech/admission.ts'
import type { SpeechTask } from '../../src/speech/task-protocol.ts'

/** A machine on which a second of speech costs `factor` seconds of one worker. */
function costsOf(factor: number): CostModel {
  const costs = new CostModel()
  const [features, styles] = [{ frames: 40, tracks: {} }, new Float32Array()]
  const window: SpeechTask = { kind: 'window', features, before: 0, frames: 40, conditioning: styles }
  const plan: SpeechTask = { kind: 'plan', part: 'all', text: 'x'.repeat(15), pronunciation: 'en-us', styles, speed: 1 }
  costs.calibrate([
    { task: window, ms: factor * 1_000 },
    { task: plan, ms: 0 },
  ])
  return costs
}

const live = { pace: 'live' } as const

/** Every listener has enough in hand. */
const NOBODY_SHORT = { room: Number.POSITIVE_INFINITY }

const batch = (speechSeconds: number) => ({ pace: 'batch', speechSeconds }) as const

function admitUntilRefused(admission: CapacityAdmission, work: Work = live): number {
  for (let admitted = 0; ; admitted++) if (admission.admit(work).status === 'refused') return admitted
}

describe('CapacityAdmission', () => {
  it('takes as many listeners as the measured cost lets it keep in real time, with a reserve', () => {
    expect(admitUntilRefused(new CapacityAdmission(costsOf(0.25), 2, NOBODY_SHORT))).toBe(7)
    expect(admitUntilRefused(new CapacityAdmission(costsOf(0.5), 2, NOBODY_SHORT))).toBe(3)
  })

  it('always takes one listener, however slow the machine', () => {
    expect(admitUntilRefused(new CapacityAdmission(costsOf(4), 1, NOBODY_SHORT))).toBe(1)
  })

  it('takes the next listener when a place is released, once however often it is released', () => {
    const admission = new CapacityAdmission(costsOf(0.8), 1, NOBODY_SHORT)
    const place = admission.admit(live)
    expect(admission.admit(live).status).toBe('refused')
    if (place.status === 'admitted') {
      place.release()
      place.release()
    }
    expect(admission.liveStreams).toBe(0)
    expect(admission.admit(live).status).toBe('admitted')
    expect(admission.admit(live).status).toBe('refused')
  })

  it('says when to come back', () => {
    const admission = new CapacityAdmission(costsOf(0.8), 1, NOBODY_SHORT)
    admission.admit(live)
    expect(admission.admit(live)).toEqual({ status: 'refused', retryAfterSeconds: expect.any(Number) })
  })

  it('takes batch requests until a minute of work waits, and a long one whenever none waits', () => {
    // 300 s of speech are, on two workers at 0.25, 37.5 s of work each.
    expect(admitUntilRefused(new CapacityAdmission(costsOf(0.25), 2, NOBODY_SHORT), batch(300))).toBe(2)
    expect(admitUntilRefused(new CapacityAdmission(costsOf(4), 1, NOBODY_SHORT), batch(333))).toBe(1)
  })

  it('takes a listener only where there is room for one more opening, and the first whatever there is room for', () => {
    const openings = { room: 0 }
    const admission = new CapacityAdmission(costsOf(0.25), 2, openings)
    expect(admission.liveRoom).toBe(1)
    expect(admission.admit(live).status).toBe('admitted')
    expect(admission.liveRoom).toBe(0)
    const soon = admission.admit(live)
    openings.room = 1
    expect(admission.liveRoom).toBe(1)
    expect(admitUntilRefused(admission)).toBe(6)
    const later = admission.admit(live)
    if (soon.status !== 'refused' || later.status !== 'refused') throw new Error('a full node has taken somebody')
    // An opening is over sooner than a stream.
    expect(soon.retryAfterSeconds).toBeLessThan(later.retryAfterSeconds)
  })

  it('knows how many more listeners it would take', () => {
    const admission = new CapacityAdmission(costsOf(0.25), 2, NOBODY_SHORT)
    expect(admission.liveRoom).toBe(7)
    admission.admit(live)
    expect([admission.liveStreams, admission.liveRoom]).toEqual([1, 6])
    admitUntilRefused(admission)
    expect([admission.liveStreams, admission.liveRoom]).toEqual([7, 0])
    expect(new CapacityAdmission(costsOf(4), 1, NOBODY_SHORT).liveRoom).toBe(1)
  })

  it('knows how long the batch work that was taken will last', () => {
    const admission = new CapacityAdmission(costsOf(0.25), 2, NOBODY_SHORT)
    const place = admission.admit(batch(300))
    expect(admission.batchBacklogMs).toBeCloseTo(37_500)
    if (place.status === 'admitted') place.release()
    expect(admission.batchBacklogMs).toBe(0)
  })

  it('takes voices to learn as batch work, and the first of them whatever waits of nothing', () => {
    const admission = new CapacityAdmission(costsOf(0.25), 2, NOBODY_SHORT)
    const admit = () => admission.admit({ pace: 'fitting' }).status
    let admitted = 0
    while (admit() === 'admitted') admitted += 1
    expect(admitted).toBeGreaterThan(1)
    expect(admission.batchBacklogMs).toBeGreaterThan(60_000)
    expect(admission.admit({ pace: 'recording', audioSeconds: 10 }).status).toBe('refused')
    expect(admission.admit(live).status).toBe('admitted')
  })

  it('tells its observer of each refusal', () => {
    const refused: string[] = []
    const admission = new CapacityAdmission(costsOf(4), 1, NOBODY_SHORT, { refused: (pace) => refused.push(pace) })
    admission.admit(live)
    expect(refused).toEqual([])
    admission.admit(live)
    admitUntilRefused(admission, batch(333))
    admission.admit({ pace: 'recording', audioSeconds: 10 })
    expect(refused).toEqual(['live', 'batch', 'recording'])
  })
})

describe('a microphone', () => {
  /** A machine that speaks in a quarter of real time, and hears a second in 25 ms. */
  const admissionOf = (workers: number) => {
    const costs = costsOf(0.25)
    const samples = new Float32Array(16_000)
    costs.calibrate([{ task: { kind: 'recognize', samples, languages: [], wordTimes: false }, ms: 50 }])
    return new CapacityAdmission(costs, workers, NOBODY_SHORT)
  }
  const fill = (admission: CapacityAdmission, pace: 'listening') => {
    for (let admitted = 0; ; admitted++) if (admission.admit({ pace }).status === 'refused') return admitted
  }

  it('takes 75 ms of a worker a second where that is heard in 25 ms: once for good, and as much again twice', () => {
    expect(fill(admissionOf(2), 'listening')).toBe(24)
    expect(fill(admissionOf(1), 'listening')).toBe(12)
  })

  it('shares the workers with those who listen', () => {
    const admission = admissionOf(2)
    admission.admit(live)
    admission.admit(live)
    expect(admission.microphoneRoom).toBe(17)
    for (let i = 0; i < 17; i++) expect(admission.admit({ pace: 'listening' }).status).toBe('admitted')
    expect([admission.microphones, admission.microphoneRoom, admission.liveRoom]).toEqual([17, 0, 0])
  })

  it('is taken whatever else there is, if it is the only one', () => {
    const admission = admissionOf(1)
    admitUntilRefused(admission)
    expect(fill(admission, 'listening')).toBeGreaterThanOrEqual(1)
    expect(fill(new CapacityAdmission(new CostModel(), 1, NOBODY_SHORT), 'listening')).toBeGreaterThanOrEqual(1)
  })

  it('gives its place back once, and says when to come back', () => {
    const admission = admissionOf(1)
    const place = admission.admit({ pace: 'listening' })
    fill(admission, 'listening')
    expect(admission.admit({ pace: 'listening' })).toEqual({ status: 'refused', retryAfterSeconds: expect.any(Number) })
    if (place.status === 'admitted') {
      place.release()
      place.release()
    }
    expect(admission.microphoneRoom).toBe(1)
  })
})
