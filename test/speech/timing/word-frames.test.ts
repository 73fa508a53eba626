import { beforeAll, describe, expect, test } from 'vitest'
import { createPhonemizer, type Phonemizer } from '../../../src/speech/phonemizer.ts'
import type { Pronunciation } from '../../../src/speech/task-protocol.ts'
import { unspacedWords } from '../../../src/speech/timing/unspaced-words.ts'
import { wordFrames } from '../../../src/speech/timing/word-frames.ts'

let phonemizer: Phonemizer

beforeAll(async () => {
  phonemizer = await createPhonemizer()
})

/** Twenty frames a symbol, so many as that at this speed. */
function timed(text: string, pronunciation: Pronunciation = 'en-us', speed = 1) {
  const phonemes = phonemizer.phonemes(text, pronunciation)
  const natural = new Float32Array(phonemes.length + 2).fill(20 * speed)
  const durations = { natural, paced: new Int32Array(phonemes.length + 2).fill(20) }
  const words = wordFrames(text, pronunciation, phonemes, durations, (word) => phonemizer.phonemes(word, pronunciation))
  return { phonemes, words }
}

describe('word frames', () => {
  test('are those of the symbols, behind the first boundary, a little earlier', () => {
    const { phonemes, words } = timed('Hello there.')
    const second = phonemes.indexOf(' ') + 1
    expect(words).toEqual([
      { word: 'Hello', from: 20 - 3, to: 20 * second - 2 },
      { word: 'there.', from: 20 * (second + 1) - 3, to: 20 * phonemes.length - 2 },
    ])
  })

  test('are earlier by less in faster speech', () => {
    expect(timed('Hello there.', 'en-us', 1.5).words[0]?.from).toBe(20 - 2)
  })

  test.each<[Pronunciation, string]>([
    ['en-us', 'At the end of the day, Dr. Smith paid $12.50 for it at 10:30 in 1999.'],
    ['en-gb', 'I would have gone to the 2nd of them — had it not rained on 3/4/2024!'],
    ['es', 'A las 3:45 p. m. hay 21 personas en la calle; ¿y qué?'],
    ['fr', "Qu'est-ce que c'est ? Il y a 12,50 € à 10h30 chez l'ami d'une amie."],
    ['it', "C'è un'altra cosa: all'1:15 gli amici mangiano la pizza dell'Emilia."],
    ['pt-br', 'Ele não é um dos meus amigos; R$ 5 milhões e 2 pessoas.'],
    ['hi', 'मुझे ₹12.50 दो, 10:30 बजे आना।'],
  ])('of %s are there for every word, in order and apart: %s', (pronunciation, text) => {
    const { words } = timed(text, pronunciation)
    const written = text.split(/[\s—]+/).filter((word) => /[\p{L}\p{N}$€]/u.test(word))
    expect(words.map(({ word }) => word)).toEqual(written)
    for (const [index, { from, to }] of words.entries()) {
      expect(to).toBeGreaterThan(from)
      expect(from).toBeGreaterThanOrEqual(words[index - 1]?.to ?? 0)
    }
  })

  test('leave out what the language can not read', () => {
    expect(timed('Hello 世界 there').words.map(({ word }) => word)).toEqual(['Hello', 'there'])
    expect(timed('😀 …').words).toEqual([])
  })
})

describe('words of a text without spaces', () => {
  test('share the symbols of their clause by their length', () => {
    const words = unspacedWords('今日は、天気がいい。', 'ja', 'kʲˈoːwa, tˈeŋki ɡa iː.')
    expect(words.map(({ word }) => word).join('')).toBe('今日は天気がいい')
    const comma = 'kʲˈoːwa, '.length
    expect(
      words
        .filter(({ to }) => to < comma)
        .map(({ word }) => word)
        .join(''),
    ).toBe('今日は')
    expect(words.find(({ word }) => word.startsWith('天'))?.from).toBe(comma)
    expect(words.at(-1)?.to).toBe('kʲˈoːwa, tˈeŋki ɡa iː'.length)
  })

  test('share all symbols where the clauses of text and speech are not the same', () => {
    const words = unspacedWords('你好，世界', 'zh', 'ni↓xau↓ ʂɻ↘ʨje↘')
    expect(words.map(({ word, from, to }) => [word, from, to])).toEqual([
      ['你好', 0, 8],
      ['世界', 8, 15],
    ])
  })

  test('are none where nothing was spoken', () => {
    expect(unspacedWords('你好', 'zh', '')).toEqual([])
  })
})
