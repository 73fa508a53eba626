import { describe, expect, it } from 'vitest'
import { pause, waitBeforeRetry } from '../../src/client/retry.ts'
import { SyrinxError } from '../../src/client/syrinx-error.ts'
import type { Transcript } from '../../src/client/transcript.ts'
import { TRANSCRIPT } from './scripted-service.ts'

const error = (status: number, retryAfter?: number, transcript?: Transcript) =>
  new SyrinxError('BACKEND_ERROR', 'no', { status, retryAfter, transcript })
const lost = new SyrinxError('CONNECTION_FAILED', 'no')
const middle = () => 0.5

describe('a call that may reach the service twice', () => {
  it.each([[500], [502], [503]])('is repeated after %i', (status) => {
    expect(waitBeforeRetry(error(status), 'repeatable', 0, middle)).toBe(375)
  })

  it('is repeated after a lost connection', () => {
    expect(waitBeforeRetry(lost, 'repeatable', 0, middle)).toBe(375)
  })

  it('waits for its own first request, whose connection was lost', () => {
    expect(waitBeforeRetry(error(409, 2), 'repeatable', 0, middle)).toBeUndefined()
    expect(waitBeforeRetry(error(409, 2), 'repeatable', 1, middle)).toBe(2_375)
  })

  it.each([[400], [401], [403], [404], [413], [415], [422], [429]])('is not repeated after %i', (status) => {
    expect(waitBeforeRetry(error(status, 1), 'repeatable', 1, middle)).toBeUndefined()
  })
})

describe('a call that could be charged or counted twice', () => {
  it('is repeated only after a 503 that says when', () => {
    expect(waitBeforeRetry(error(503, 2), 'when_told', 0, middle)).toBe(2_187.5)
    for (const other of [error(503), error(500, 2), error(502, 2), error(409, 1), error(429, 2), lost]) {
      expect(waitBeforeRetry(other, 'when_told', 1, middle)).toBeUndefined()
    }
  })
})

describe('an error that brings a transcript', () => {
  it.each(['repeatable', 'when_told'] as const)('ends a call that is %s: that much was charged', (repetition) => {
    expect(waitBeforeRetry(error(503, 2, TRANSCRIPT), repetition, 0, middle)).toBeUndefined()
  })
})

describe('the wait', () => {
  it('doubles up to a limit, with half of it random', () => {
    const waits = (random: () => number) =>
      [0, 1, 2, 3, 4, 5].map((attempt) => waitBeforeRetry(error(503), 'repeatable', attempt, random))
    expect(waits(() => 0)).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000])
    expect(waits(() => 1)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000])
  })

  it('is never shorter than the service asked for, and not begun where that is too long', () => {
    expect(waitBeforeRetry(error(503, 7), 'repeatable', 0, () => 0)).toBe(7_125)
    expect(waitBeforeRetry(error(503, 31), 'repeatable', 0, () => 0)).toBeUndefined()
  })

  it('ends with the reason of the signal as soon as it is aborted', async () => {
    const controller = new AbortController()
    const waiting = pause(1e9, controller.signal)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await expect(pause(1e9, controller.signal)).rejects.toThrow('enough')
  })
})
