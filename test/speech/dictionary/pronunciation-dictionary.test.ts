import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadDictionary } from '../../../src/speech/dictionary/dictionary-folder.ts'
import { PronunciationDictionary } from '../../../src/speech/dictionary/pronunciation-dictionary.ts'
import type { Pronunciation } from '../../../src/speech/task-protocol.ts'

const FILES = [
  {
    name: 'en.tsv',
    content: '# names\nSyrinx\tSeerinks\nNew York\t/nuː ˈjɔrk/\nYork\tYawk\nC++\tsee plus plus\n\ntomato\ttomayto',
  },
  { name: 'en-gb.tsv', content: '\ufefftomato\t/təˈmɑːtəʊ/\r\n' },
  { name: 'ja.tsv', content: '東雲\tしののめ' },
  { name: 'German.tsv', content: 'Straße\tStrasse' },
]
const dictionary = PronunciationDictionary.parse(FILES)

/** Pieces as text, phonemes between slashes. */
function pronounced(text: string, pronunciation: Pronunciation = 'en-us'): string {
  return dictionary
    .pronounce(text, pronunciation)
    .map((piece) => (piece.kind === 'text' ? piece.text : `/${piece.phonemes}/`))
    .join('')
}

describe('terms of a dictionary', () => {
  test.each<[string, Pronunciation, string, string]>([
    ['are replaced in any case', 'en-us', 'Hello, SYRINX! syrinx.', 'Hello, Seerinks! Seerinks.'],
    ['are whole words', 'en-us', 'Syrinxes and Yorkshire', 'Syrinxes and Yorkshire'],
    ['may hold signs', 'en-us', 'I like C++.', 'I like see plus plus.'],
    ['are the longest that fit', 'en-us', 'New York, York', '/nu ˈjɔɹk/, Yawk'],
    ['may differ between pronunciations', 'en-gb', 'A tomato in New York', 'A /təˈmɑːtQ/ in /nuː ˈjɔɹk/'],
    ['leave other languages alone', 'fr', 'Syrinx', 'Syrinx'],
    ['need no spaces in Japanese', 'ja', '東雲さんの東雲', 'しののめさんのしののめ'],
    ['may be named by the language', 'de', 'Die STRASSE und die Straße', 'Die STRASSE und die Strasse'],
  ])('%s', (_, pronunciation, text, said) => {
    expect(pronounced(text, pronunciation)).toBe(said)
  })

  test('are not looked up in what is said for others', () => {
    const twice = PronunciationDictionary.parse([{ name: 'en.tsv', content: 'a\tb\nb\tc' }])
    expect(twice.pronounce('a b', 'en-us')).toEqual([{ kind: 'text', text: 'b c' }])
  })

  test('leave a text whole where there are none', () => {
    expect(dictionary.pronounce('İstanbul ﬁ', 'en-us')).toEqual([{ kind: 'text', text: 'İstanbul ﬁ' }])
  })
})

describe('a dictionary is refused with its file and line', () => {
  test.each([
    ['a line without a tab', 'en.tsv', 'ok\tfine\nSyrinx Seerinks', 'en.tsv, line 2: a line is a term, a tab'],
    ['nothing to say', 'en.tsv', 'Syrinx\t ', 'en.tsv, line 1'],
    ['a third column', 'en.tsv', 'a\tb\tc', 'en.tsv, line 1'],
    ['an open slash', 'en.tsv', 'Syrinx\t/sɪ', 'en.tsv, line 1: IPA stands between two slashes'],
    ['no sound', 'en.tsv', 'Syrinx\t/ˈ/', 'en.tsv, line 1: there is no sound in it'],
    ['a sound the model lacks', 'en.tsv', 'Syrinx\t/sɪ4/', 'en.tsv, line 1: the model has no sound for 4'],
    ['a language that is not spoken', 'sv.tsv', 'a\tb', 'sv.tsv: there is no language or pronunciation'],
  ])('%s', (_, name, content, message) => {
    expect(() => PronunciationDictionary.parse([{ name, content }])).toThrow(message)
  })
})

describe('the folder of dictionaries', () => {
  test('may be missing', async () => {
    const missing = await loadDictionary(join(tmpdir(), 'syrinx-no-such-folder'))
    expect(missing.pronounce('Syrinx', 'en-us')).toEqual([{ kind: 'text', text: 'Syrinx' }])
  })

  test('holds .tsv files; others are ignored', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'syrinx-lexicon-'))
    await mkdir(join(folder, 'old'))
    await writeFile(join(folder, 'en.tsv'), 'Syrinx\tSeerinks')
    await writeFile(join(folder, 'notes.txt'), 'no tabs')
    const loaded = await loadDictionary(folder)
    expect(loaded.pronounce('Syrinx', 'en-gb')).toEqual([{ kind: 'text', text: 'Seerinks' }])
    await rm(folder, { recursive: true })
  })
})
