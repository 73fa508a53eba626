import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutCues } from '../../src/speech/subtitles.ts'

/** Words of 0.4 s, one every half second. */
const spoken = (text: string, separator = ' ') =>
  text.split(separator).map((word, i) => ({ word, start: i / 2, end: i / 2 + 0.4 }))

describe('subtitles', () => {
  it('are cut behind sentences', () => {
    expect(cutCues(spoken('Good morning. “How are you?” Fine'), true)).toEqual([
      { start: 0, end: 0.9, text: 'Good morning.' },
      { start: 1, end: 2.4, text: '“How are you?”' },
      { start: 2.5, end: 2.9, text: 'Fine' },
    ])
  })

  it('are cut at pauses', () => {
    const words = [
      { word: 'Well', start: 0, end: 0.4 },
      { word: 'yes', start: 1.2, end: 1.5 },
      { word: 'indeed', start: 1.6, end: 2 },
    ]
    expect(cutCues(words, true).map(({ text }) => text)).toEqual(['Well', 'yes indeed'])
  })

  it('share a long sentence out evenly', () => {
    const text = 'A warm light spilled out across the garden path and somebody was calling her name from far away'
    expect(
      cutCues(
        spoken(text).map((word, i) => ({ ...word, start: i / 4, end: i / 4 + 0.2 })),
        true,
      ),
    ).toMatchObject([
      { text: 'A warm light spilled out across the garden path' },
      { text: 'and somebody was calling her name from far away' },
    ])
  })

  it('of a language without spaces have none, and are half as long', () => {
    const cues = cutCues(spoken([...'你好吗'.repeat(20)].join(' ')), false)
    expect(cues[0]?.text.startsWith('你好吗你好吗')).toBe(true)
    expect(Math.max(...cues.map(({ text }) => text.length))).toBeLessThanOrEqual(42)
  })

  it('hold every word once, in order, on two lines and for seven seconds at most', () => {
    const word = fc.record({
      word: fc.stringMatching(/^[a-z]{1,20}[.,?]?$/),
      gap: fc.double({ min: 0, max: 2, noNaN: true }),
      length: fc.double({ min: 0.05, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(word), (parts) => {
        let at = 0
        const words = parts.map(({ word, gap, length }) => {
          const start = at + gap
          at = start + length
          return { word, start, end: at }
        })
        const cues = cutCues(words, true)
        expect(cues.map(({ text }) => text).join(' ')).toBe(words.map(({ word }) => word).join(' '))
        expect(cues.every(({ start, end, text }) => end - start <= 7 && text.length <= 84)).toBe(true)
        const times = cues.flatMap(({ start, end }) => [start, end])
        expect(times).toEqual([...times].sort((a, b) => a - b))
      }),
    )
  })
})
