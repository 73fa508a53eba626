import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { symbolIds } from '../../models/kokoro/symbols.ts'
import { createPhonemizer, type Phonemizer } from '../../src/speech/phonemizer.ts'
import { PHONEME_TABLES } from '../../src/speech/pronunciation/phoneme-tables.ts'
import { phonemesOf } from '../../src/speech/pronunciation/phonemes.ts'
import type { Pronunciation, SpelledPronunciation } from '../../src/speech/task-protocol.ts'

let phonemizer: Phonemizer

beforeAll(async () => {
  phonemizer = await createPhonemizer()
})

const PRONUNCIATIONS: readonly SpelledPronunciation[] = [
  ...(['en-us', 'en-gb', 'es', 'fr', 'it', 'pt-br', 'hi', 'de', 'ru', 'uk', 'pl', 'tr', 'id'] as const),
]
const say = (text: string, pronunciation: Pronunciation = 'en-us') => phonemizer.phonemes(text, pronunciation)

describe('phonemes', () => {
  test.each<[Pronunciation, string, string]>([
    ['en-us', 'Hello there.', 'həlˈO ðˈɛɹ.'],
    [
      'en-us',
      'She opened the old wooden door slowly, and a warm golden light spilled out.',
      'ʃi ˈOpənd ðɪ ˈOld wˈʊdən dˈɔɹ slˈOli, ænd ə wˈɔɹm ɡˈOldən lˈIt spˈɪld ˈWt.',
    ],
    ['en-us', 'Her purple bird chose a little joy.', 'hɜɹ pˈɜɹpᵊl bˈɜɹd ʧˈOz ə lˈɪɾᵊl ʤˈY.'],
    ['en-gb', 'I have lost my keys, so open the front door.', 'I hav lˈɒst mI kˈiːz, sˌQ ˈQpən ðə fɹˈʌnt dˈɔː.'],
    ['es', '¿Dónde está la estación? El muchacho echó leche.', 'dˈonde estˈa la ˌestaθjˈon? el muʧˈaʧo eʧˈo lˈeʧe.'],
    ['fr', "Ce matin, j'ai acheté du pain.", 'sə matˈɛ̃, ʒe aʃtˈe dy pˈɛ̃.'],
    ['it', 'La giacca grigia, la pizza.', 'la ʤˈakːa ɡrˈiʤa, la pˈiʦːa.'],
    ['pt-br', 'Minha irmã trabalha.', 'mˌiɲæ iɾəmˈɐ̃ trˌabˈaljæ.'],
    ['hi', 'बच्चे खेल रहे थे।', 'bˈʌcːeː kʰˈeːl ɾˌəheː tʰeː.'],
  ])('of %s: %s', (pronunciation, text, phonemes) => {
    expect(say(text, pronunciation)).toBe(phonemes.normalize('NFD').replaceAll('c\u0327', 'ç'))
  })

  test('keep the punctuation where it was', () => {
    const marks = say('"Stop!" he said (really); yes: go — now… OK?').replace(/[^.,;:!?…—"“”()]/g, '')
    expect(marks).toBe('“!”();:—…?')
  })

  test('of words in Cyrillic letters are Russian among others', () => {
    expect(say('He said привет, друг, twice.')).toBe(`${say('He said')} ${say('привет, друг', 'ru')}, ${say('twice.')}`)
  })

  test('read amounts, abbreviations and addresses as words', () => {
    expect(say('Dr. Smith paid $12.50.')).toBe(say('Doctor Smith paid 12 dollars and 50 cents.'))
    expect(say('user@example.com')).toBe(say('user at example dot com'))
  })

  test('pause where a line ends without a mark', () => {
    expect(say('Milk\nEggs\nBread')).toBe(say('Milk, eggs, bread'))
  })

  test('do not depend on the text or the language before', () => {
    const alone = PRONUNCIATIONS.map((pronunciation) => say('Taxi 15, café.', pronunciation))
    say('One two three')
    const again = PRONUNCIATIONS.toReversed().map((pronunciation) => say('Taxi 15, café.', pronunciation))
    expect(again.toReversed()).toEqual(alone)
    expect(new Set(alone).size).toBe(PRONUNCIATIONS.length)
  })
})

describe('a text in parts', () => {
  const text = (words: string) => ({ kind: 'text', text: words, pronunciation: 'en-us' }) as const
  const settled = (phonemes: string) => ({ kind: 'phonemes', phonemes }) as const
  const join = (...parts: (ReturnType<typeof text> | ReturnType<typeof settled>)[]) =>
    phonemizer.phonemes('', 'ja', parts)

  test('is its words and the phonemes that were settled, in order', () => {
    expect(join(settled('kore βa,'), text('Google'), settled('desɨ.'))).toBe(`kore βa, ${say('Google')} desɨ.`)
  })

  test('keeps marks with what they belong to', () => {
    expect(join(text('Ask ('), settled('sˈɪɹɪŋks'), text('), then go.'))).toBe(
      `${say('Ask')} (sˈɪɹɪŋks), ${say('then go.')}`,
    )
    expect(join(text('“Hi,'), settled('ˈækmi!”'))).toBe(`“${say('Hi,')} ˈækmi!”`)
    expect(join(settled(', ˈækmi'), text('.'))).toBe('ˈækmi.')
  })

  test('has a full stop where a sentence ends before a part, and none behind an abbreviation', () => {
    expect(join(text('He left.'), settled('ˈækmi'), text('stayed.'))).toBe(`${say('He left.')} ˈækmi ${say('stayed.')}`)
    expect(join(text('I met Prof.'), settled('ˈækmi'))).not.toContain('.')
  })

  test('is what Japanese and Chinese have to come in', () => {
    expect(() => phonemizer.phonemes('猫', 'ja')).toThrow('ja')
    expect(join()).toBe('')
  })
})

describe('the vocabulary of the model', () => {
  test.each<[Pronunciation, string]>([
    ['en-us', 'On March 15, 2024, about 250 people visited the new library; a joyful chair measured the coy ounce.'],
    ['en-us', 'Which oyster choked under the brown ledge? Fewer pure cures lure rural tourists, Bach and chutzpah.'],
    ['en-gb', 'Our neighbour is painting the garden fence green near the poor fire, and the loch is colder.'],
    ['es', 'Hay seis reyes y veinte aceites en el paisaje; los niños jugaban mientras llovía. ¡Voy a Jamaica!'],
    ['fr', 'Les enfants jouaient dans le jardin pendant que la pluie tombait ; œuvre, agneau, brun, huit parkings.'],
    ['it', 'Zio Enzo azzera la stanza di zucchero; gli gnomi e lo sciopero, ciò che piace al cuoco.'],
    ['pt-br', 'Não põem as mãos nos corações dos cães; o tio Thiago disse tchau à tia. Mães leem leis.'],
    ['de', 'Am 15. März besuchten neun Leute die schöne Bücherei; Häuser, Pfützen, Psychologie und Gynäkologen.'],
    ['ru', 'Сегодня утром я купил свежий хлеб; щука, ёлка, подъезд, тысячи пятьдесятых, журнал и цыплёнок.'],
    ['uk', 'Сьогодні вранці я купив свіжий хліб; їжак, ґанок, щодня, дзвін, п’ять і цвях.'],
    ['pl', 'Dziś rano kupiłem świeży chleb; źdźbło, rzeka, dźwięk, żółć, trąba, wcześniej.'],
    ['tr', 'Bu sabah köşedeki fırından taze ekmek aldım; çocuk, ağaç, gül, rüzgâr, ışık.'],
    ['id', 'Tadi pagi saya membeli roti segar; nyanyi, ngarai, khusus, syarat, cari, jalan.'],
    ['hi', 'मुझे रात का खाना बनाते समय संगीत सुनना पसंद है। क्या आप बता सकते हैं कि रेलवे स्टेशन कहाँ है? ज़्यादा फ़ोन।'],
  ])('holds every sound of %s: %s', (pronunciation, text) => {
    const phonemes = say(text, pronunciation)
    expect(symbolIds(phonemes)).toHaveLength([...phonemes].length)
    const words = text.split(/[\s;]+/).filter((word) => /[\p{L}\d]/u.test(word))
    expect(phonemes.split(' ').length).toBeGreaterThanOrEqual(words.length * 0.8)
  })

  test('has no word language flags, ties or sounds of other languages', () => {
    const table = PHONEME_TABLES.fr
    expect(phonemesOf('(en)w_ˈɜː_l_d(fr) | t_ʏ-ɫ͡ɦ"!', table)).toBe('wˈɜːld tylh')
  })
})

describe('a text that can hardly be spoken', () => {
  test.each(['', ' ', '...', '!?', '— “ ( )', '😀👨‍👩‍👧‍👦', '\0', '\ud800', '\u0301', "'", '-', '你好。', 'สวัสดี'])(
    '%j has no phonemes',
    (text) => {
      for (const pronunciation of PRONUNCIATIONS) expect(say(text, pronunciation)).toBe('')
    },
  )

  test('is spoken as far as it can be', () => {
    expect(say('Hello\0, \ud800😀world\ud83d!')).toBe(say('Hello, world!'))
  })

  test('never fails, and gives nothing but symbols of the model', () => {
    const garbage = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 250, size: 'max' }),
      fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 250 }).map((units) => String.fromCharCode(...units)),
      fc.string({
        unit: fc.constantFrom(...'[]<>&;.\'"0123456789aeioußжїबक\u0301-_/\\ \n#%$'),
        maxLength: 250,
        size: 'max',
      }),
    )
    fc.assert(
      fc.property(garbage, fc.constantFrom(...PRONUNCIATIONS), (text, pronunciation) => {
        const phonemes = say(text, pronunciation)
        expect(symbolIds(phonemes)).toHaveLength([...phonemes].length)
        expect(phonemes).toBe(phonemes.trim())
        if (phonemes !== '') expect(phonemes).toMatch(/\p{Letter}/u)
      }),
      { numRuns: 150 },
    )
  })
})

test('a phonemizer that has changed its language often goes on with a fresh eSpeak', async () => {
  const worn = await createPhonemizer({ voiceChangesMax: 2 })
  const before = PRONUNCIATIONS.map((pronunciation) => worn.phonemes('Taxi', pronunciation))
  // The fresh one is there once another that was asked for later is.
  await createPhonemizer()
  expect(PRONUNCIATIONS.map((pronunciation) => worn.phonemes('Taxi', pronunciation))).toEqual(before)
})
