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
    ['ja', american, 'ja'],
    ['zh', japanese, 'zh'],
    ['de', spanish, 'de'],
    ['ru', hindi, 'ru'],
    ['uk', american, 'uk'],
    ['pl', british, 'pl'],
    ['tr', american, 'tr'],
    ['id', american, 'id'],
  ])('%s is pronounced whatever the text looks like', (language, voice, pronunciation) => {
    expect(resolvePronunciation(language, 'Guten Tag, 世界', voice)).toMatchObject({ status: 'spoken', pronunciation })
  })

  test('that the engine can not speak is refused with a list of those it can', () => {
    expect(resolvePronunciation('sv', 'God dag', american)).toEqual({
      status: 'not_spoken',
      language: { code: 'sv', name: 'Swedish', iso639_3: 'swe' },
      message:
        "Swedish (sv) can't be spoken by the engine this server runs. It speaks en (English), es (Spanish), fr (French), " +
        'it (Italian), pt (Portuguese), ja (Japanese), zh (Chinese), hi (Hindi), and with an accent de (German), ru ' +
        '(Russian), uk (Ukrainian), pl (Polish), tr (Turkish), id (Indonesian): send text in one of them, or run the ' +
        'server with an engine that speaks Swedish.',
    })
  })

  test('must be a code of the catalog', () => {
    expect(() => resolvePronunciation('xx', 'Hello', american)).toThrow('xx')
  })

  test('every language of the catalog is either spoken or refused', () => {
    const outcomes = LANGUAGE_CATALOG.map(([code]) => resolvePronunciation(code, 'a', american).status)
    expect(outcomes.filter((status) => status === 'spoken')).toHaveLength(14)
    expect(outcomes.filter((status) => status === 'not_spoken')).toHaveLength(632)
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
    ['今朝、近くのパン屋で新しいパンを買いました。', 'ja'],
    ['GoogleとAmazonのサービスを使う', 'ja'],
    ['今天早上我在街角的商店买了新鲜的面包。', 'zh'],
    ['我们用ChatGPT和GitHub写代码，很快就做完了', 'zh'],
    ['Heute Morgen habe ich beim Bäcker frisches Brot gekauft.', 'de'],
    ['Dziś rano kupiłem świeży chleb w sklepie na rogu.', 'pl'],
    ['Bu sabah köşedeki fırından taze ekmek aldım.', 'tr'],
    ['Tadi pagi saya membeli roti segar di toko dekat rumah.', 'id'],
    ['Сегодня утром я купил свежий хлеб.', 'ru'],
    ['Привет', 'ru'],
    ['Сьогодні вранці я купив свіжий хліб.', 'uk'],
  ])('hears the language of %j, whatever the voice', (text, pronunciation) => {
    for (const voice of [american, spanish, hindi, japanese]) {
      expect(resolvePronunciation('auto', text, voice)).toMatchObject({ status: 'spoken', pronunciation })
    }
  })

  test('reads English in the accent of a British voice', () => {
    const outcome = resolvePronunciation('auto', 'The bus leaves at seven and the ticket is cheap.', british)
    expect(outcome).toEqual({ status: 'spoken', language: 'en', pronunciation: 'en-gb' })
  })

  test.each([
    ['Hello', american, 'en-us'],
    ['Hello', british, 'en-gb'],
    ['Hola amigo', spanish, 'es'],
    ['Hello there', hindi, 'en-us'],
    ['Hello there', japanese, 'en-us'],
    ['12345', hindi, 'hi'],
    ['12345', japanese, 'ja'],
    ['東京駅', japanese, 'ja'],
    ['東京駅', american, 'zh'],
    ['Guten Tag', american, 'en-us'],
    ['?!', spanish, 'es'],
    ['', american, 'en-us'],
  ])('reads %j, which says too little, in the own language of the voice if that fits', (text, voice, pronunciation) => {
    expect(resolvePronunciation('auto', text, voice)).toMatchObject({ status: 'spoken', pronunciation })
  })

  test.each([
    ['오늘 아침에 빵을 샀습니다.', 'ko'],
    ['Гэтая ўстанова працуе ўвесь дзень.', 'be'],
    ['Ово је њихова кућа, а ђак чита књигу.', 'sr'],
    ['Қазақстан үлкен ел, қала әдемі.', 'kk'],
    ['Sáng nay tôi đã mua bánh mì ở cửa hàng gần nhà.', 'vi'],
    ['اشتريت هذا الصباح خبزا', 'arb'],
    ['Καλημέρα σε όλους', 'el'],
    ['สวัสดีตอนเช้า', 'th'],
  ])('refuses %j by its letters', (text, code) => {
    expect(resolvePronunciation('auto', text, american)).toMatchObject({ status: 'not_spoken', language: { code } })
  })

  test('goes by most of the letters where scripts are mixed', () => {
    const text = 'The word 猫 means cat in Japanese, and it is read neko.'
    expect(resolvePronunciation('auto', text, american)).toMatchObject({ status: 'spoken', pronunciation: 'en-us' })
  })

  test('every preset voice can say an English word', () => {
    for (const voice of PRESET_VOICES) expect(resolvePronunciation('auto', 'Hello', voice).status).toBe('spoken')
  })
})
