import { expect, test } from 'vitest'
import type { Pronunciation } from '../../../src/speech/task-protocol.ts'
import { writtenWords } from '../../../src/speech/timing/written-words.ts'

const said = (text: string, pronunciation: Pronunciation = 'en-us') =>
  writtenWords(text, pronunciation).map(({ words, spoken }) => [words.join('+'), spoken])

test('a word is what stands between white space, and goes with all that is said for it', () => {
  expect(said('It cost $12.50, or  50% more.')).toEqual([
    ['It', 'It'],
    ['cost', 'cost'],
    ['$12.50,', '12 dollars and 50 cents,'],
    ['or', 'or'],
    ['50%', '50%'],
    ['more.', 'more.'],
  ])
})

test('words that are said as one stay together', () => {
  expect(said('12,50 € à midi', 'fr')).toEqual([
    ['12,50+€', '12 euros 50'],
    ['à', 'à'],
    ['midi', 'midi'],
  ])
  expect(said('a las 3 p. m. hoy', 'es')).toEqual([
    ['a', 'a'],
    ['las', 'las'],
    ['3', '3'],
    ['p.+m.', 'de la tarde'],
    ['hoy', 'hoy'],
  ])
})

test('punctuation and emoji are no words, signs that are said are', () => {
  expect(said('« Oui » ! 😀 Non — ?', 'fr').map(([word]) => word)).toEqual(['Oui', 'Non'])
  expect(said('A & B').map(([word]) => word)).toEqual(['A', '&', 'B'])
  expect(said('… — !')).toEqual([])
})

test('a dash parts words', () => {
  expect(said('slowly—and then').map(([word]) => word)).toEqual(['slowly', 'and', 'then'])
})

test('every sentence and line counts', () => {
  expect(said('One. Two!\n\nThree').map(([word]) => word)).toEqual(['One.', 'Two!', 'Three'])
})
