import { type Lexicon, type Rule, rule } from './lexicon.ts'

/** Dates of figures (ISO, and with slashes in the order of the country) and times of day. */
export function dateRules(lexicon: Lexicon): readonly Rule[] {
  const say = (written: string, day: string, month: string, year: string) => {
    const name = lexicon.months[Number(month) - 1]
    const isDay = Number(day) >= 1 && Number(day) <= 31
    return name && isDay ? lexicon.date(Number(day), name, year) : written
  }
  return [
    rule(
      /(?<![\d/-])((\d{4})-(\d{2})-(\d{2}))(?:(T)(?=\d{2}:)|(?![\d/-]))/g,
      (written = '', year = '', month = '', day = '', time = '') => say(written, day, month, year) + (time && ' '),
    ),
    rule(
      /(?<![\d/-])((\d{1,2})\/(\d{1,2})\/(\d{4}))(?![\d/-])/g,
      (written = '', first = '', second = '', year = '') => {
        const isMonthFirst = (lexicon.isMonthFirst && Number(first) <= 12) || Number(second) > 12
        return isMonthFirst ? say(written, second, first, year) : say(written, first, second, year)
      },
    ),
    rule(/(?<![\d:.,])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])/g, (hours = '', minutes = '') =>
      lexicon.time(Number(hours), minutes),
    ),
  ]
}
