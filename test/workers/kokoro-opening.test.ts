import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WORD_SPACE } from '../../models/kokoro/symbols.ts'
import { openingOf } from '../../workers/kokoro-opening.ts'

/** Token ids of words of these lengths, with a space between each two. */
function words(...lengths: number[]): number[] {
  return lengths.flatMap((length, index) => [...(index === 0 ? [] : [WORD_SPACE]), ...Array<number>(length).fill(43)])
}

describe('the opening of a text', () => {
  it('ends behind a word, and is planned from a word or more beyond', () => {
    expect(openingOf(words(...Array<number>(12).fill(4)))).toEqual({ planned: 30, heard: 15 })
  })

  it('is not cut from a short text, or where there is no word to end at', () => {
    expect(openingOf(words(10, 10, 10, 10))).toBeUndefined()
    expect(openingOf(words(100))).toBeUndefined()
    expect(openingOf(words(4, 90))).toBeUndefined()
  })

  it('is never more than was planned for it, whatever the words', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }), (lengths) => {
        const ids = words(...lengths)
        const opening = openingOf(ids)
        if (!opening) return
        expect(opening.heard).toBeLessThan(opening.planned)
        expect(opening.planned).toBeLessThan(ids.length)
        expect([ids[opening.heard - 1], ids[opening.planned - 1]]).toEqual([WORD_SPACE, WORD_SPACE])
      }),
    )
  })
})
