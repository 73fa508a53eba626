import { describe, expect, it } from 'vitest'
import { NodeLifecycle } from '../../src/runtime/lifecycle.ts'

describe('NodeLifecycle', () => {
  it('goes from starting over ready and draining to stopped, and never back', () => {
    const lifecycle = new NodeLifecycle()
    const state = () => [lifecycle.ready, lifecycle.draining, lifecycle.stopped.aborted]
    expect(state()).toEqual([false, false, false])
    lifecycle.warm()
    expect(state()).toEqual([true, false, false])
    lifecycle.drain()
    lifecycle.warm()
    expect(state()).toEqual([false, true, false])
    lifecycle.stop()
    expect(state()).toEqual([false, true, true])
  })
})
