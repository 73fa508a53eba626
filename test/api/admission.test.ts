import { describe, expect, it } from 'vitest'
import { admit, findPlace } from '../../src/api/admission.ts'
import type { AdmissionOutcome } from '../../src/speech/admission.ts'

const { signal: stopped } = new AbortController()
const admitted: AdmissionOutcome = { status: 'admitted', release() {} }
const work = { pace: 'live' } as const

function nodeThat(lifecycle: { ready: boolean; draining: boolean }, outcome: AdmissionOutcome) {
  return { lifecycle: { ...lifecycle, stopped }, admission: { admit: () => outcome } }
}

describe('admission', () => {
  const full: AdmissionOutcome = { status: 'refused', retryAfterSeconds: 1.2 }

  it('gives a place on a node that is ready', () => {
    expect(findPlace(nodeThat({ ready: true, draining: false }, admitted), work)).toBe(admitted)
  })

  it.each([
    ['full', { ready: true, draining: false }, full, 'full', '2'],
    ['still loading', { ready: false, draining: false }, admitted, 'loading', '5'],
    ['shutting down', { ready: false, draining: true }, admitted, 'stopping', '10'],
    ['shutting down and full', { ready: true, draining: true }, full, 'stopping', '10'],
  ])('on a node that is %s is refused with 503 and Retry-After (D6)', (_, lifecycle, outcome, reason, seconds) => {
    const node = nodeThat(lifecycle, outcome)
    expect(findPlace(node, work)).toMatchObject({ status: 'refused', reason })
    expect(() => admit(node, work)).toThrow(
      expect.objectContaining({ code: 'BACKEND_ERROR', status: 503, headers: { 'Retry-After': seconds } }),
    )
  })

  it('never tells to retry at once', () => {
    const outcome: AdmissionOutcome = { status: 'refused', retryAfterSeconds: 0 }
    const place = findPlace(nodeThat({ ready: true, draining: false }, outcome), work)
    expect(place).toMatchObject({ retryAfterSeconds: 1 })
  })
})
