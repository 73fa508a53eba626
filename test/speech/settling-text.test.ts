import { describe, expect, it } from 'vitest'
import { SettlingText } from '../../src/speech/settling-text.ts'

function shown(language: string, ...hearings: string[]): string[] {
  const text = new SettlingText()
  return hearings.map((hearing) => text.update(hearing, language))
}

describe('text that settles', () => {
  it('shows all of the newest hearing', () => {
    expect(shown('en', 'And so', 'And so my fellow')).toEqual(['And so', 'And so my fellow'])
  })

  it('keeps words that two hearings in a row agree on, whatever comes later', () => {
    expect(shown('en', 'and so my fell', 'and so my fellow', 'An so my fellow Americans')).toEqual([
      'and so my fell',
      'and so my fellow',
      'and so my fellow Americans',
    ])
  })

  it('lets words change that were heard only once', () => {
    expect(shown('en', 'and so mike', 'and so my fellow')).toEqual(['and so mike', 'and so my fellow'])
  })

  it('never settles the last word, which may be half a word', () => {
    expect(shown('en', 'not', 'not', 'nothing')).toEqual(['not', 'not', 'nothing'])
  })

  it('takes words with another case or punctuation for the same', () => {
    expect(shown('en', 'Ask not what.', 'ask not, what you', 'asked nut what you can')).toEqual([
      'Ask not what.',
      'ask not, what you',
      'ask not, what you can',
    ])
  })

  it('does not take back settled words when less is heard', () => {
    const text = shown('en', 'one two three', 'one two three four', '', 'one')
    expect(text.slice(2)).toEqual(['one two three', 'one two three'])
  })

  it('goes by characters where there are no spaces', () => {
    expect(shown('zh', '你好世', '你好世界', '您好世界和平')).toEqual(['你好世', '你好世界', '你好世界和平'])
  })

  it('only ever grows at its end: the words it shows twice stay for good', () => {
    const text = new SettlingText()
    const hearings = ['a b c', 'a b d e', 'a b d e f', 'x y z q r s', 'a b d e f g h']
    const all = hearings.map((hearing) => text.update(hearing, 'en').split(' '))
    expect(all.slice(2).every((words) => words.slice(0, 3).join(' ') === 'a b d')).toBe(true)
  })
})
