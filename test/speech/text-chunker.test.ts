import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { speechLength } from '../../src/speech/speech-length.ts'
import type { Pronunciation } from '../../src/speech/task-protocol.ts'
import { CHUNK_LENGTH_MAX, CHUNK_LENGTH_MIN, chunkText, halveChunk } from '../../src/speech/text-chunker.ts'

const texts = (text: string, pronunciation: Pronunciation = 'en-us') =>
  chunkText(text, pronunciation).map((chunk) => chunk.text)

const withoutSpace = (text: string) => text.replace(/\s+/g, '')

const SENTENCE = 'The bakery on the corner opens early in the morning.'
const LONG_SENTENCE =
  'The old lighthouse keeper climbed the winding stairs every evening, carrying a lantern in one hand and a worn ' +
  'leather book in the other, while the sea below whispered its secrets to the rocks; and when the storm came at last, ' +
  'he lit the lamp, sat down by the window and waited for the ships that had been promised to him in the spring.'

describe('chunks', () => {
  test('are sentences, with the pause that follows each', () => {
    const text = `${SENTENCE} ${SENTENCE}\n\n${SENTENCE}`
    expect(chunkText(text, 'en-us')).toEqual([
      { text: SENTENCE, pause: 'sentence' },
      { text: SENTENCE, pause: 'paragraph' },
      { text: SENTENCE, pause: 'none' },
    ])
  })

  test('hold short sentences together with the next', () => {
    expect(texts(`Yes. OK. ${SENTENCE} ${SENTENCE}`)).toEqual([`Yes. OK. ${SENTENCE}`, SENTENCE])
  })

  test('hold a short last sentence of a paragraph together with the one before', () => {
    expect(texts(`${SENTENCE} Yes.\n\n${SENTENCE}`)).toEqual([`${SENTENCE} Yes.`, SENTENCE])
  })

  test('never reach over paragraphs, however short these are', () => {
    expect(texts('Yes.\n\nNo.')).toEqual(['Yes.', 'No.'])
  })

  test('leave a short text as it is', () => {
    expect(chunkText(' OK ', 'en-us')).toEqual([{ text: 'OK', pause: 'none' }])
  })

  test('of white space are none', () => {
    expect(chunkText(' \n\u3000 ', 'en-us')).toEqual([])
  })
})

describe('a long sentence', () => {
  test('is cut at clauses into parts of about the same length', () => {
    expect(texts(`${SENTENCE} ${LONG_SENTENCE}`).slice(1)).toEqual([
      'The old lighthouse keeper climbed the winding stairs every evening, carrying a lantern in one hand and a worn ' +
        'leather book in the other, while the sea below whispered its secrets to the rocks;',
      'and when the storm came at last, he lit the lamp, sat down by the window and waited for the ships that had been ' +
        'promised to him in the spring.',
    ])
  })

  test('that has no marks is cut before a conjunction', () => {
    const words = 'word '.repeat(30)
    expect(texts(`${words}and ${words}`)).toEqual([words.trim(), `and ${words}`.trim()])
  })

  test('of words alone is cut between them', () => {
    const chunks = texts('word '.repeat(1_000))
    expect(new Set(chunks.join(' ').split(' '))).toEqual(new Set(['word']))
    for (const chunk of chunks) expect(chunk.length).toBeGreaterThan(CHUNK_LENGTH_MAX / 2)
  })

  test('without any space is cut between characters, not inside them', () => {
    const family = '👨‍👩‍👧‍👦'
    const chunks = texts(family.repeat(200))
    expect(chunks.length).toBeGreaterThan(5)
    for (const chunk of chunks) expect(chunk.replaceAll(family, '')).toBe('')
  })

  test('is not cut inside a title or a number', () => {
    const text = `${'they spoke to Dr. Brown about 3.5 and 1,000 things '.repeat(12)}.`
    for (const chunk of texts(text)) expect(chunk).not.toMatch(/(?:Dr\.|3\.|1,)$/)
  })

  test.each<[Pronunciation, string]>([
    ['ja', 'この町の古い図書館では毎日たくさんの人が新しい本を読んでいると市長が'],
    ['zh', '这座城市的图书馆每天都有很多人来看新书而且市长认为这样的地方应该越来越多'],
  ])(
    'without spaces or marks in %s is cut between words of content, where its language shows them',
    (language, text) => {
      const chunks = chunkText(text.repeat(8), language).map((chunk) => chunk.text)
      expect(chunks.join('')).toBe(text.repeat(8))
      expect(chunks.length).toBeGreaterThan(2)
      for (const chunk of chunks) expect(speechLength(chunk)).toBeLessThanOrEqual(CHUNK_LENGTH_MAX)
      for (const chunk of chunks.slice(1))
        expect(chunk).toMatch(language === 'ja' ? /^[\p{Script=Han}]/u : /^(?:而且|认为|在|对|都|这)/u)
    },
  )

  test('of figures is cut into fewer of them, for each is a word', () => {
    for (const chunk of texts('1234567890 '.repeat(50))) expect(chunk.length).toBeLessThan(60)
  })
})

describe('halving a chunk', () => {
  test('cuts near the middle, at a mark if there is one', () => {
    expect(halveChunk({ text: 'one two three, four five six', pause: 'sentence' })).toEqual([
      { text: 'one two three,', pause: 'clause' },
      { text: 'four five six', pause: 'sentence' },
    ])
  })

  test.each(['a', '👨‍👩‍👧‍👦', 'e\u0301', '\ud800'])('can not cut the single character %j', (text) => {
    expect(halveChunk({ text, pause: 'none' })).toBeUndefined()
  })

  test('again and again ends at single characters, and loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), (text) => {
        const waiting = chunkText(text, 'en-us')
        const whole: string[] = []
        for (let chunk = waiting.shift(); chunk; chunk = waiting.shift()) {
          const halves = halveChunk(chunk)
          if (halves) waiting.unshift(...halves)
          else whole.push(chunk.text)
        }
        expect(withoutSpace(whole.join(''))).toBe(withoutSpace(text))
        expect(whole).not.toContain('')
      }),
    )
  })
})

describe('any text at all', () => {
  const pronunciations = fc.constantFrom<Pronunciation>('en-us', 'en-gb', 'es', 'fr', 'it', 'pt-br', 'hi')
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 600, size: 'max' }),
    fc.string({ unit: 'grapheme', maxLength: 600, size: 'max' }),
    // Halves of surrogate pairs included.
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 600 }).map((units) => String.fromCharCode(...units)),
    fc
      .array(fc.constantFrom(...'aB1.,;:!?…"”»)(—-\n \u00a0', 'Dr.', 'word', '。', '।', '\u0301', '😀', '\ud83d'), {
        maxLength: 900,
        size: 'max',
      })
      .map((parts) => parts.join('')),
  )

  test('comes out whole: nothing lost, repeated or moved but white space', () => {
    fc.assert(
      fc.property(anything, pronunciations, (text, pronunciation) => {
        const chunks = chunkText(text, pronunciation)
        expect(withoutSpace(chunks.map((chunk) => chunk.text).join(''))).toBe(withoutSpace(text))
      }),
      { numRuns: 300 },
    )
  })

  test('comes in chunks of bounded length without white space at their edges', () => {
    fc.assert(
      fc.property(anything, pronunciations, (text, pronunciation) => {
        for (const chunk of chunkText(text, pronunciation)) {
          expect(chunk.text).toBe(chunk.text.trim())
          expect(chunk.text).not.toBe('')
          expect(speechLength(chunk.text)).toBeLessThanOrEqual(CHUNK_LENGTH_MAX)
        }
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    '.',
    '"',
    ' ',
    'a',
    '1',
    '. ',
    'a. ',
    'a\n',
    '😀',
    'a\u0301\u0301',
    ', ',
    '漢',
    '\ud800',
    'A. ',
    '( ',
    '।',
  ])('10,000 characters of %j come out whole', (unit) => {
    const text = unit.repeat(Math.ceil(10_000 / unit.length))
    expect(withoutSpace(texts(text).join(''))).toBe(withoutSpace(text))
  })

  test('of ordinary sentences has no chunk shorter than a second or two of speech', () => {
    const text = `${`${SENTENCE} Yes. OK. ${LONG_SENTENCE} No. `.repeat(10)}\n\n`.repeat(3)
    for (const chunk of chunkText(text, 'en-us')) {
      expect(speechLength(chunk.text)).toBeGreaterThanOrEqual(CHUNK_LENGTH_MIN)
    }
  })
})
