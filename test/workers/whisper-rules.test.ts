import { describe, expect, it } from 'vitest'
import { repeatedTail } from '../../workers/repetition.ts'
import { wordTokens } from '../../workers/spoken-words.ts'
import { TokenText } from '../../workers/token-text.ts'
import { placeTokens } from '../../workers/word-times.ts'

describe('the repetition guard', () => {
  it.each([
    ['a word five times', [9, 1, 1, 1, 1, 1], 4],
    ['two words four times', [9, 1, 2, 1, 2, 1, 2, 1, 2], 6],
    ['three words three times', [1, 2, 3, 1, 2, 3, 1, 2, 3], 6],
    ['a sentence twice', [1, 2, 3, 4, 5, 1, 2, 3, 4, 5], 5],
    ['a long sentence twice, after others', [7, 8, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6], 6],
  ])('trips over %s, and leaves it once', (_, tokens, tail) => {
    expect(repeatedTail(tokens)).toBe(tail)
  })

  it.each([
    ['nothing', []],
    ['a word four times', [9, 1, 1, 1, 1]],
    ['a phrase twice', [1, 2, 3, 4, 1, 2, 3, 4]],
    ['a repetition that has ended', [1, 1, 1, 1, 1, 2]],
  ])('lets %s pass', (_, tokens) => {
    expect(repeatedTail(tokens)).toBe(0)
  })

  it('with more patience lets a sentence be said twice', () => {
    expect(repeatedTail([1, 2, 3, 4, 5, 1, 2, 3, 4, 5], 1)).toBe(0)
    expect(repeatedTail([1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5], 1)).toBe(10)
  })
})

/** "é" in two tokens, since a token may end inside a character. */
const SPELLINGS = ['Hello', ',', 'Ġworld', 'Ġcaf', 'Ã', '©', '!', 'Ġ"', 'So', 'ä½ł', 'å¥½', 'ãĢĤ', 'Ġ', 'âĢľ', 'Ċ']
const text = new TokenText(SPELLINGS)

describe('the text of tokens', () => {
  it('joins bytes before it reads characters', () => {
    expect(text.decode([0, 1, 2, 6])).toBe('Hello, world!')
    expect(text.decode([3, 4, 5])).toBe(' café')
    expect(text.decode([4])).toBe('\ufffd')
    expect(text.decode([14, 13])).toBe('\n“')
    expect(text.decode([])).toBe('')
  })

  it('counts the characters that begin in a token', () => {
    expect([2, 4, 5, 13].map((token) => text.characters(token))).toEqual([6, 1, 0, 1])
  })
})

describe('words', () => {
  it('begin at spaces and keep their marks, which take no time', () => {
    expect(wordTokens([0, 1, 2, 3, 4, 5, 6], text, 'en')).toEqual([
      { word: 'Hello,', from: 0, soundTo: 1, to: 2 },
      { word: 'world', from: 2, soundTo: 3, to: 3 },
      { word: 'café!', from: 3, soundTo: 6, to: 7 },
    ])
  })

  it('keep the quotation mark before them', () => {
    expect(wordTokens([0, 7, 8], text, 'en').map(({ word }) => word)).toEqual(['Hello', '"So'])
  })

  it('are single characters where nobody writes spaces', () => {
    expect(wordTokens([9, 10, 11], text, 'zh').map(({ word }) => word)).toEqual(['你', '好。'])
  })

  it('are none in a text of white space', () => {
    expect(wordTokens([12], text, 'en')).toEqual([])
    expect(wordTokens([], text, 'en')).toEqual([])
  })
})

describe('placing tokens', () => {
  /** Every token looks at its own stretch of the audio. */
  function attention(bounds: readonly number[], positions: number): Float32Array[] {
    return bounds.map((from, token) => {
      const to = bounds[token + 1] ?? positions
      return Float32Array.from({ length: positions }, (_, at) => (at >= from && at < to ? 0.9 : 0.1) / positions)
    })
  }

  it('finds where each begins to be looked at', () => {
    const bounds = [0, 12, 30, 41]
    const rows = [attention(bounds, 60), attention(bounds, 60)]
    expect(placeTokens({ positions: 60, rows }, 0, 4, 60)).toEqual(bounds)
  })

  it('takes only the rows and positions that it is told to', () => {
    const rows = [attention([0, 10, 20, 30, 50], 60)]
    const places = placeTokens({ positions: 60, rows }, 1, 4, 45)
    expect(places[0]).toBe(0)
    expect(places.slice(1)).toEqual([20, 30])
  })

  it('never goes back, whatever the attention says', () => {
    const rows = [attention([30, 5, 50, 10, 0], 60)]
    const places = placeTokens({ positions: 60, rows }, 0, 5, 60)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  it('copes with more tokens than there is audio', () => {
    const rows = [Array.from({ length: 6 }, () => Float32Array.of(0.5, 0.5))]
    expect(placeTokens({ positions: 2, rows }, 0, 6, 2)).toHaveLength(6)
  })
})
