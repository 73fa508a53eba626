import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { linkSignals, whenAborted } from '../../src/api/abort-signals.ts'

describe('whenAborted', () => {
  it('calls back once, at once if the signal is aborted already', () => {
    let calls = 0
    const controller = new AbortController()
    whenAborted(controller.signal, () => calls++)
    controller.abort()
    expect(calls).toBe(1)
    whenAborted(controller.signal, () => calls++)
    expect(calls).toBe(2)
  })

  it('can be taken back', () => {
    const controller = new AbortController()
    whenAborted(controller.signal, () => expect.unreachable())()
    controller.abort()
  })
})

describe('linked signals', () => {
  it.each([0, 1])('follow number %i', (index) => {
    const controllers = [new AbortController(), new AbortController()]
    const { signal } = linkSignals(...controllers.map((controller) => controller.signal))
    expect(signal.aborted).toBe(false)
    controllers[index]?.abort()
    expect(signal.aborted).toBe(true)
  })

  it('leave nothing behind on a signal that lives on', () => {
    const { signal } = new AbortController()
    const linked = linkSignals(signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    linked.unlink()
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})
