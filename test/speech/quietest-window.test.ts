import { describe, expect, it } from 'vitest'
import { quietestWindow } from '../../src/speech/quietest-window.ts'

describe('the quietest window', () => {
  it('has the least speech in it and beside it', () => {
    expect(quietestWindow([1, 0.2, 1, 1, 0.3, 0.3, 0.3, 1], 1, 7, 1)).toBe(5)
  })

  it('is the one nearest to where a cut is best, of several as quiet', () => {
    const probabilities = Array.from({ length: 100 }, (_, i) => (i % 10 === 0 ? 0.1 : 0.9))
    expect(quietestWindow(probabilities, 1, 99, 52)).toBe(50)
    expect(quietestWindow(probabilities, 1, 99, 87)).toBe(90)
  })

  it('is inside of the range', () => {
    expect(quietestWindow([0, 1, 1, 1, 0], 2, 3, 1)).toBe(2)
  })
})
