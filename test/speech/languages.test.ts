import { describe, expect, test } from 'vitest'
import { LANGUAGE_CATALOG } from '../../src/speech/language-catalog.ts'
import { findLanguage, resolvePronunciation } from '../../src/speech/languages.ts'
import { PRESET_VOICES } from '../../src/speech/voices.ts'

const american = { language: 'en', british: false }
const british = { language: 'en', british: true }
const spanish = { language: 'es', british: false }
const hindi = { language: 'hi', british: false }
const japanese = { language: 'ja', british: false }

describe('the language catalog', () => {
  test('holds 646 languages', () => {
    expect(LANGUAGE_CATALOG).toHaveLength(646)
  })

  test('identifies every language by code, name and ISO 639-3, in any case', () => {
    for (const [code, name, iso639_3] of LANGUAGE_CATALOG) {
      for (const key of [code, name, iso639_3]) {
        expect(findLanguage(key)?.code).toBe(code)
        expect(findLanguage(key.toUpperCase())?.code).toBe(code)
      }
    }
  })

  test('finds a name whose accents are written as separate marks', () => {
    expect(findLanguage('Arbëreshë Albanian'.normalize('NFD'))?.code).toBe('aae')
  })

  test.each(['', ' ', 'auto', 'english ', 'xx', 'en-US', 'constructor'])('does not know %j', (text) => {
    expect(findLanguage(text)).toBeUndefined()
  })
})

describe('a language that was asked for', () => {
  test.each([
    ['en', american, 'en-us'],
    ['en', british, 'en-gb'],
    ['en', japanese, 'en-us'],
    ['es', british, 'es'],
    ['fr', american, 'fr'],
    ['it', american, 'it'],
    ['pt', american, 'pt-br'],
    ['hi', american, 'hi'],
  ])('%s is pronounced whatever the text looks like', (language, voice, pronunciation) => {
    expect(resolvePronunciation(language, 'Guten Tag, 世界', voice)).toEqual({ status: 'spoken', pronunciation })
  })

  test('that the engine can not speak is refused with a list of those it can', () => {
    expect(resolvePronunciation('de', 'Guten Tag', american)).toEqual({
      status: 'not_spoken',
      language: { code: 'de', name: 'German', iso639_3: 'deu' },
      message:
        "German (de) can't be spoken by the engine this server runs. It speaks en (English), es (Spanish), fr (French), " +
        'it (Italian), pt (Portuguese), hi (Hindi): send text in one of them, or run the server with an engine that ' +
        'speaks German.',
    })
  })

  test('must be a code of the catalog', () => {
    expect(() => resolvePronunciation('xx', 'Hello', american)).toThrow('xx')
  })

  test('every language of the catalog is either spoken or refused', () => {
    const outcomes = LANGUAGE_CATALOG.map(([code]) => resolvePronunciation(code, 'a', american).status)
    expect(outcomes.filter((status) => status === 'spoken')).toHaveLength(6)
    expect(outcomes.filter((status) => status === 'not_spoken')).toHaveLength(640)
  })
})

describe('auto', () => {
  test.each([
    ['The children went to the park after school.', 'en-us'],
    ['Mi hermana trabaja en un hospital y llega tarde a casa.', 'es'],
    ['Les enfants jouaient dans le jardin pendant que la pluie tombait.', 'fr'],
    ['Mia sorella lavora in ospedale e torna sempre tardi a casa.', 'it'],
    ['Minha irmã trabalha no hospital e sempre chega tarde em casa.', 'pt-br'],
    ['मेरी बहन अस्पताल में काम करती है।', 'hi'],
  ])('hears the language of %j, whatever the voice', (text, pronunciation) => {
    for (const voice of [american, spanish, hindi, japanese]) {
      expect(resolvePronunciation('auto', text, voice)).toEqual({ status: 'spoken', pronunciation })
    }
  })

  test('reads English in the accent of a British voice', () => {
    const outcome = resolvePronunciation('auto', 'The bus leaves at seven and the ticket is cheap.', british)
    expect(outcome).toEqual({ status: 'spoken', pronunciation: 'en-gb' })
  })

  test.each([
    ['Hello', american, 'en-us'],
    ['Hello', british, 'en-gb'],
    ['Hola amigo', spanish, 'es'],
    ['Hello there', hindi, 'en-us'],
    ['Hello there', japanese, 'en-us'],
    ['12345', hindi, 'hi'],
    ['12345', japanese, 'en-us'],
    ['?!', spanish, 'es'],
    ['', american, 'en-us'],
  ])('reads %j, which says too little, in the own language of the voice if that fits', (text, voice, pronunciation) => {
    expect(resolvePronunciation('auto', text, voice)).toEqual({ status: 'spoken', pronunciation })
  })

  test.each([
    ['今朝、パンを買いました。', 'ja'],
    ['今天早上我在街角的商店买了新鲜的面包。', 'zh'],
    ['오늘 아침에 빵을 샀습니다.', 'ko'],
    ['Сегодня утром я купил хлеб.', 'ru'],
    ['اشتريت هذا الصباح خبزا', 'arb'],
    ['Καλημέρα σε όλους', 'el'],
    ['สวัสดีตอนเช้า', 'th'],
  ])('refuses %j by its script', (text, code) => {
    expect(resolvePronunciation('auto', text, american)).toMatchObject({ status: 'not_spoken', language: { code } })
  })

  test('goes by most of the letters where scripts are mixed', () => {
    const text = 'The word 猫 means cat in Japanese, and it is read neko.'
    expect(resolvePronunciation('auto', text, american)).toEqual({ status: 'spoken', pronunciation: 'en-us' })
  })

  test('every preset voice can say an English word', () => {
    for (const voice of PRESET_VOICES) expect(resolvePronunciation('auto', 'Hello', voice).status).toBe('spoken')
  })
})
