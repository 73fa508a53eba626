import { describe, expect, it } from 'vitest'
import { CreditWindow } from '../../src/api/credit-window.ts'
import { STREAM_BUFFER_BYTES_MAX } from '../../src/limits.ts'

const frameBytes = 10_000
const framesMost = Math.floor(STREAM_BUFFER_BYTES_MAX / frameBytes)

describe('a credit window', () => {
  it('grants as many frames as fit the buffer, however often it is asked', () => {
    const window = new CreditWindow({ bufferedBytes: 0, frameBytes })
    window.settle()
    window.settle()
    expect(window.demand.credits).toBe(framesMost)
  })

  it('grants nothing while a reader takes nothing, and what fits when it takes some', () => {
    const outlet = { bufferedBytes: 0, frameBytes }
    const window = new CreditWindow(outlet)
    window.settle()
    window.demand.spend(framesMost)
    outlet.bufferedBytes = framesMost * frameBytes
    window.settle()
    expect(window.demand.credits).toBe(0)
    outlet.bufferedBytes -= 3 * frameBytes
    window.settle()
    expect(window.demand.credits).toBe(3)
  })

  it('waits until a debt has been read before it grants more', () => {
    const outlet = { bufferedBytes: 0, frameBytes }
    const window = new CreditWindow(outlet)
    window.settle()
    window.demand.spend(framesMost + 5)
    outlet.bufferedBytes = (framesMost + 5) * frameBytes
    window.settle()
    expect(window.demand.credits).toBeLessThanOrEqual(0)
    outlet.bufferedBytes = 0
    window.settle()
    expect(window.demand.credits).toBe(framesMost)
  })

  it('lets a producer answer a grant with frames at once', () => {
    const window = new CreditWindow({ bufferedBytes: 0, frameBytes })
    let made = 0
    window.demand.onCredit(() => {
      while (window.demand.credits > 0 && made < 100) {
        made += 1
        window.demand.spend(1)
        window.settle()
      }
    })
    window.settle()
    expect(made).toBe(100)
  })
})
