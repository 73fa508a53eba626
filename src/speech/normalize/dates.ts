import { type Lexicon, type Rule, rule } from './lexicon.ts'

/** Dates of figures (ISO, and with slashes, dots or hyphens in the order of the country) and times of day. */
export function dateRules(lexicon: Lexicon): readonly Rule[] {
  return [...writtenDates(lexicon), ...timesOfDay(lexicon)]
}

function writtenDates(lexicon: Lexicon): readonly Rule[] {
  const say = (written: string, day: string, month: string, year: string) => {
    const name = lexicon.months[Number(month) - 1]
    const isDay = Number(day) >= 1 && Number(day) <= 31
    return name && isDay ? lexicon.date(Number(day), name, year.length === 2 ? longYear(year) : year) : written
  }
  const sayLocal = (written: string, first: string, second: string, year: string) => {
    const isMonthFirst = (lexicon.isMonthFirst && Number(first) <= 12) || Number(second) > 12
    return isMonthFirst ? say(written, second, first, year) : say(written, first, second, year)
  }
  return [
    rule(
      /(?<![\d/-])((\d{4})-(\d{2})-(\d{2}))(?:(T)(?=\d{2}:)|(?![\d/-]))/g,
      (written = '', year = '', month = '', day = '', time = '') => say(written, day, month, year) + (time && ' '),
    ),
    rule(/(?<![\d/-])((\d{4})\/(\d{2})\/(\d{2}))(?![\d/-])/g, (written = '', year = '', month = '', day = '') =>
      say(written, day, month, year),
    ),
    rule(
      /(?<![\d/.-])((\d{1,2})([/.-])(\d{1,2})\3(\d{4}))(?![\d/-])/g,
      (written = '', first = '', _mark, second = '', year = '') => sayLocal(written, first, second, year),
    ),
    rule(/(?<![\d/.-])((\d{1,2})\/(\d{1,2})\/(\d{2}))(?![\d/-])/g, (written = '', first = '', second = '', year = '') =>
      sayLocal(written, first, second, year),
    ),
    // Without a year: only figures written in pairs, which fractions aren't.
    rule(
      /(?<![\d/.,-])(((?:0[1-9]|[12]\d|3[01]))\/((?:0[1-9]|[12]\d|3[01])))(?![\d/%-])/g,
      (written = '', first = '', second = '') =>
        first.startsWith('0') || second.startsWith('0') || !lexicon.isMonthFirst
          ? sayLocal(written, first, second, '')
          : written,
    ),
  ]
}

function timesOfDay(lexicon: Lexicon): readonly Rule[] {
  const time = (hours: string, minutes: string) => lexicon.time(Number(hours), minutes)
  return [
    rule(/(?<![\d:.,])(\d{1,2}:[0-5]\d)\s?(?:[-–]|[—])\s?(?=\d{1,2}:[0-5]\d(?![\d:]))/g, `$1 ${lexicon.to} `),
    ...(lexicon.dayPart
      ? [
          rule(
            /(?<![\d:.,])(0?[1-9]|1[0-2])(?::([0-5]\d))?\s?([AaPp])(?:\.\s?[Mm]\.|[Mm](?![\p{L}\p{N}]))/gu,
            (hours = '', minutes = '', half = '') =>
              `${time(hours, minutes)} ${lexicon.dayPart?.(Number(hours), half.toLowerCase() === 'p')}`,
          ),
        ]
      : []),
    rule(
      /(?<![\d:.,])([01]?\d|2[0-3]):([0-5]\d):([0-5]\d)(?:Z|[.,]\d+Z?)?(?![\d:])/g,
      (hours = '', minutes = '', seconds = '') => {
        const said = time(hours, minutes)
        return seconds === '00' ? said : `${said} ${lexicon.and} ${sayWithin(seconds, lexicon)}`
      },
    ),
    rule(/(?<![\d:.,])([01]?\d|2[0-3]):([0-5]\d)(?:Z|(?![\d:]))/g, (hours = '', minutes = '') => time(hours, minutes)),
  ]
}

function sayWithin(seconds: string, lexicon: Lexicon): string {
  const [one, many] = lexicon.units.sec ?? ['', '']
  return Number(seconds) === 1 ? one : `${Number(seconds)} ${many}`
}

/** Two figures of a year: up to 49 of this century. */
function longYear(year: string): string {
  return `${Number(year) < 50 ? '20' : '19'}${year}`
}
