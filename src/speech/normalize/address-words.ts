import type { AddressWords } from './lexicon.ts'

type Signs = readonly [dot: string, slash: string, hyphen: string, underscore: string, at: string, colon: string]

/** Signs of addresses in languages that have no lexicon, by the first letters of their tag. */
const SIGNS: Readonly<Partial<Record<string, Signs>>> = {
  de: ['Punkt', 'Schrägstrich', 'Bindestrich', 'Unterstrich', 'ät', 'Doppelpunkt'],
  nl: ['punt', 'schuine streep', 'streepje', 'laag streepje', 'apenstaartje', 'dubbele punt'],
  pl: ['kropka', 'ukośnik', 'myślnik', 'podkreślnik', 'małpa', 'dwukropek'],
  ru: ['точка', 'слэш', 'дефис', 'нижнее подчёркивание', 'собака', 'двоеточие'],
  uk: ['крапка', 'слеш', 'дефіс', 'нижнє підкреслення', 'собачка', 'двокрапка'],
  tr: ['nokta', 'bölü', 'tire', 'alt tire', 'et', 'iki nokta'],
  id: ['titik', 'garis miring', 'strip', 'garis bawah', 'et', 'titik dua'],
}
const HASHTAGS: Readonly<Partial<Record<string, string>>> = {
  ru: 'хештег',
  uk: 'хештег',
  tr: 'heştek',
  id: 'tagar',
}

/**
 * Words for addresses in a language without a lexicon. Where even these aren't known the signs are pauses and a mail address
 * keeps its `@`, for which eSpeak has a word of its own in most languages.
 */
export function addressWordsOf(pronunciation: string): AddressWords {
  const tag = pronunciation.split('-')[0] ?? ''
  const [dot, slash, hyphen, underscore, at, colon] = SIGNS[tag] ?? ['', '', '', '', '@', '']
  return {
    address: { '.': dot, '/': slash, '-': hyphen, _: underscore, '@': at, ':': colon, '~': '~', '+': '+', '%': '%' },
    hashtag: HASHTAGS[tag] ?? 'hashtag',
  }
}
