import { describe, expect, it } from 'vitest'
import { CostModel } from '../../src/inference/cost-model.ts'
import type { PlanTask, WindowTask } from '../../src/speech/task-protocol.ts'

const window: WindowTask = {
  kind: 'window',
  features: { frames: 48, tracks: {} },
  before: 4,
  frames: 40,
  conditioning: new Float32Array(),
}
const plan: PlanTask = {
  kind: 'plan',
  part: 'all',
  text: 'x'.repeat(30),
  pronunciation: 'en-us',
  styles: new Float32Array(),
  speed: 1,
}

describe('CostModel', () => {
  it('predicts in proportion to the frames to keep and the speech to plan', () => {
    const costs = new CostModel()
    costs.calibrate([{ task: window, ms: 200 }])
    costs.calibrate([{ task: plan, ms: 60 }])
    expect(costs.predictMs({ ...window, frames: 20 })).toBeCloseTo(100)
    expect(costs.predictMs({ ...plan, text: 'x'.repeat(15) })).toBeCloseTo(30)
    // A character is a syllable.
    expect(costs.predictMs({ ...plan, text: '春'.repeat(15) })).toBeCloseTo(90)
  })

  it('puts planning and windows into one real-time factor', () => {
    const costs = new CostModel()
    costs.calibrate([{ task: window, ms: 200 }])
    costs.calibrate([{ task: plan, ms: 60 }])
    // A second is 40 frames, 200 ms, and its plan, 30 ms.
    expect(costs.realTimeFactor).toBeCloseTo(0.23)
    expect(costs.speechMs(10)).toBeCloseTo(2_300)
  })

  it('predicts recognition by what the model looks at: the audio and a second more', () => {
    const costs = new CostModel()
    const recognize = {
      kind: 'recognize',
      samples: new Float32Array(48_000),
      languages: ['en'],
      wordTimes: false,
    } as const
    costs.calibrate([{ task: recognize, ms: 200 }])
    expect(costs.predictMs({ ...recognize, samples: new Float32Array(160_000) })).toBeCloseTo(550)
  })

  it('is not taken in by tasks that had the machine to themselves, but sees in them that it has become slower', () => {
    const costs = new CostModel()
    costs.calibrate([{ task: window, ms: 200 }])
    for (let i = 0; i < 100; i++) costs.learn(window, 120, false)
    expect(costs.predictMs(window)).toBeCloseTo(200)
    // Beside them come 30 ms for the plan of a second, which was not measured.
    expect([costs.realTimeFactor, costs.realTimeFactorAlone].map((factor) => factor - 0.03)).toEqual([
      expect.closeTo(0.2),
      expect.closeTo(0.12),
    ])
    for (let i = 0; i < 100; i++) costs.learn(window, 300, false)
    expect(costs.predictMs(window)).toBeCloseTo(300, 0)
    for (let i = 0; i < 100; i++) costs.learn(window, 120, false)
    expect(costs.predictMs(window)).toBeCloseTo(200)
  })

  it('follows a machine that becomes slower, without being thrown by one slow task', () => {
    const costs = new CostModel()
    costs.calibrate([{ task: window, ms: 200 }])
    costs.learn(window, 2_000, true)
    expect(costs.predictMs(window)).toBeLessThan(500)
    for (let i = 0; i < 100; i++) costs.learn(window, 400, true)
    expect(costs.predictMs(window)).toBeCloseTo(400, 0)
  })
})
