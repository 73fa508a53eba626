import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanText } from '../../../src/speech/normalize/clean.ts'
import { normalizeSentence } from '../../../src/speech/normalize/normalize.ts'
import type { Pronunciation } from '../../../src/speech/task-protocol.ts'

/** Figures stay figures: eSpeak reads "12", "1,000" and "3rd" in every language. */
const EXAMPLES: Readonly<
  Record<string, { pronunciation: Pronunciation; rows: readonly (readonly [string, string])[] }>
> = {
  'American English': {
    pronunciation: 'en-us',
    rows: [
      ['It costs $12.50.', 'It costs 12 dollars and 50 cents.'],
      ['$1 or $0.99', 'one dollar or 99 cents'],
      ['$1,234.56', '1234 dollars and 56 cents'],
      ['$5M, $1.2bn, $3 million', '5 million dollars, 1.2 billion dollars, 3 million dollars'],
      ['$10-15 or $10–$15', '10 to 15 dollars or 10 to 15 dollars'],
      ['£5, 5€ and ¥500', '5 pounds, 5 euros and 500 yen'],
      ['In 1999, 2024, 2005 and 1905', 'In 19 99, 20 24, 2005 and 19 oh 5'],
      ["the 1990s and '80s", 'the 19 nineties and eighties'],
      ['1,999 people, 19.5 or 12345', '1,999 people, 19.5 or 12345'],
      ['10-15 and 5–10%', '10 to 15 and 5 to 10%'],
      ['1939-45', '19 39 to 45'],
      ['3:45 pm, 10 AM, 3:00 p.m., 15:00, 9:05', '3 45 pm, 10 am, 3 pm, 15 hundred, 9 oh 5'],
      ['12:00', "12 o'clock"],
      ['2024-03-15', 'March 15th, 20 24'],
      ['2024-03-15T10:30', 'March 15th, 20 24 10 30'],
      ['03/15/2024', 'March 15th, 20 24'],
      ['2024-13-45', '2024-13-45'],
      ['50% off', '50% off'],
      ['Dr. Smith on Elm Dr.', 'Doctor Smith on Elm Drive'],
      ['St. Louis, Main St., 5th Ave.', 'Saint Louis, Main Street, 5th Avenue'],
      ['Ms. Lee vs. Mr Jones etc.', 'Miz Lee versus Mister Jones etcetera'],
      ['e.g. this, i.e. that', 'for example this, that is that'],
      ['no. 5 on p. 12', 'number 5 on page 12'],
      ['Jan. 5', 'January 5'],
      ['version v1.2.3 or 1.2.3', 'version version 1 point 2 point 3 or 1 point 2 point 3'],
      ['user@example.com', 'user at example dot com'],
      ['https://www.example.com/a-b_c/?x=1#y', 'www dot example dot com slash a dash b underscore c'],
      ['See docs.example.org/3.', 'See docs dot example dot org slash 3.'],
      ['We went home.It was late', 'We went home.It was late'],
      ['23°C, 50 km/h, 1 km, 5 ft', '23 degrees Celsius, 50 kilometers per hour, one kilometer, 5 feet'],
      ['5\'11" tall', '5 foot 11 tall'],
      ['#1 of #many in C#', 'number 1 of hashtag many in C sharp'],
      ['A & B = ~5', 'A and B equals about 5'],
      ['1/2, 3/4 and 5 1/2 or 1½', 'one half, 3 quarters and 5 and one half or 1 and one half'],
      ['Henry VIII, Chapter IV, World War II', 'Henry the 8th, Chapter 4, World War 2'],
      ['call 555-1234', 'call 5 5 5, 1 2 3 4'],
      ['+44 20 7946 0958', '+ 4 4, 2 0, 7 9 4 6, 0 9 5 8'],
      ['192.168.1.1', '192 dot 168 dot 1 dot 1'],
      ['COVID-19, GPT-4, a 10-year-old', 'COVID-19, GPT-4, a 10-year-old'],
      ['and/or, 24/7', 'and or, 24 7'],
    ],
  },
  'British English': {
    pronunciation: 'en-gb',
    rows: [
      ['2024-03-15', 'the 15th of March 20 24'],
      ['03/04/2024', 'the 3rd of April 20 24'],
      ['£5.99', '5 pounds and 99 pence'],
      ['5 km', '5 kilometres'],
    ],
  },
  Spanish: {
    pronunciation: 'es',
    rows: [
      ['12,50 €', '12 euros con 50 céntimos'],
      ['1.234,56 €', '1234 euros con 56 céntimos'],
      ['$12.50 y $5M', '12 dólares con 50 centavos y 5 millones de dólares'],
      ['10-15', '10 a 15'],
      ['a las 10:30', 'a las 10 y 30'],
      ['2024-03-15', '15 de marzo de 2024'],
      ['Sr. López y Dra. Ruiz', 'señor López y doctora Ruiz'],
      ['EE. UU., p. ej.', 'Estados Unidos, por ejemplo'],
      ['a 50 km/h y 20 °C', 'a 50 kilómetros por hora y 20 grados Celsius'],
      ['n.º 5, el 1er piso', 'número 5, el primer piso'],
      ['1.5 y 1.500', '1,5 y 1.500'],
      ['ana@example.com', 'ana arroba example punto com'],
    ],
  },
  French: {
    pronunciation: 'fr',
    rows: [
      ['12,50 €', '12 euros 50 centimes'],
      ['5 M€', "5 millions d'euros"],
      ['10-15', '10 à 15'],
      ['10h30 ou 10:30', '10 heures 30 ou 10 heures 30'],
      ['2024-01-01', 'premier janvier 2024'],
      ['M. Dupont et Mme Martin', 'monsieur Dupont et madame Martin'],
      [
        'le 1er, la 1re, le 2e, la 21e, le 71e',
        'le premier, la première, le deuxième, la 20 et unième, le 60 et onzième',
      ],
      ['Louis XIV au XXe siècle', 'Louis 14 au vingtième siècle'],
      ['n° 5, 50 km/h', 'numéro 5, 50 kilomètres heure'],
    ],
  },
  Italian: {
    pronunciation: 'it',
    rows: [
      ['12,50 €', '12 euro e 50 centesimi'],
      ['alle 10:30', 'alle 10 e 30'],
      ['2024-01-01', 'primo gennaio 2024'],
      ['Sig. Rossi e Dott.ssa Bianchi', 'signor Rossi e dottoressa Bianchi'],
      ['p.es. n. 5, ecc.', 'per esempio numero 5, eccetera'],
      ['5 km, 50 km/h', '5 chilometri, 50 chilometri orari'],
    ],
  },
  Portuguese: {
    pronunciation: 'pt-br',
    rows: [
      ['R$ 12,50', '12 reais e 50 centavos'],
      ['R$ 5 milhões', '5 milhões de reais'],
      ['às 10h30', 'às 10 horas e 30'],
      ['2024-03-15', '15 de março de 2024'],
      ['Sr. Silva e Sra. Ana', 'senhor Silva e senhora Ana'],
      ['20 °C', '20 graus Celsius'],
    ],
  },
  Hindi: {
    pronunciation: 'hi',
    rows: [
      ['₹12.50', '12 रुपये 50 पैसे'],
      ['रु. 50', '50 रुपये'],
      ['15-20', '15 से 20'],
      ['10:30', '10 बजकर 30 मिनट'],
      ['2024-03-15', '15 मार्च 2024'],
      ['डॉ. शर्मा', 'डॉक्टर शर्मा'],
      ['20°C', '20 डिग्री सेल्सियस'],
    ],
  },
}

describe.each(Object.entries(EXAMPLES))('%s', (_, { pronunciation, rows }) => {
  test.each(rows)('%s is read as %s', (written, said) => {
    expect(normalizeSentence(cleanText(written), pronunciation)).toBe(said)
  })
})

test('any text can be normalised in any language', () => {
  const written = fc.array(
    fc.oneof(
      fc.constantFrom(...'0123456789.,:;/-–%$£€°+=&@#~½()"\' ', 'km', 'Dr.', 'v', '1st', 'XIV', 'pm', 'https://'),
      fc.string(),
    ),
    { maxLength: 60 },
  )
  const pronunciations = fc.constantFrom<Pronunciation>('en-us', 'en-gb', 'es', 'fr', 'it', 'pt-br', 'hi')
  fc.assert(
    fc.property(written, pronunciations, (parts, pronunciation) => {
      expect(normalizeSentence(cleanText(parts.join('')), pronunciation)).not.toMatch(/undefined|NaN|null|\s{2}/)
    }),
    { numRuns: 500 },
  )
})
