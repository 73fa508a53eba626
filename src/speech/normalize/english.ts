import { ENGLISH_RULES, ENGLISH_YEARS, MONTHS, ordinal } from './english-rules.ts'
import type { Counted, Currency, Lexicon } from './lexicon.ts'

const DOLLAR: Currency = { major: ['one dollar', 'dollars'], minor: ['one cent', 'cents'] }

const CURRENCIES: Readonly<Record<string, Currency>> = {
  $: DOLLAR,
  US$: { ...DOLLAR, major: ['one US dollar', 'US dollars'] },
  C$: { ...DOLLAR, major: ['one Canadian dollar', 'Canadian dollars'] },
  A$: { ...DOLLAR, major: ['one Australian dollar', 'Australian dollars'] },
  R$: { major: ['one real', 'reais'], minor: ['one centavo', 'centavos'] },
  '£': { major: ['one pound', 'pounds'], minor: ['one penny', 'pence'] },
  '€': { major: ['one euro', 'euros'], minor: ['one cent', 'cents'] },
  '¥': { major: ['one yen', 'yen'] },
  '₹': { major: ['one rupee', 'rupees'], minor: ['one paisa', 'paise'] },
}

const MAGNITUDES = {
  k: 'thousand',
  K: 'thousand',
  m: 'million',
  M: 'million',
  mn: 'million',
  b: 'billion',
  B: 'billion',
  bn: 'billion',
  T: 'trillion',
  thousand: 'thousand',
  million: 'million',
  billion: 'billion',
  trillion: 'trillion',
}

/** Units of length are spelt apart on the two sides of the Atlantic, and eSpeak stresses them by the spelling. */
function unitsOf(meter: string, liter: string): Readonly<Record<string, Counted>> {
  return {
    km: counted(`kilo${meter}`),
    m: counted(meter),
    cm: counted(`centi${meter}`),
    mm: counted(`milli${meter}`),
    'm²': counted(`square ${meter}`),
    'km²': counted(`square kilo${meter}`),
    'm³': counted(`cubic ${meter}`),
    mi: counted('mile'),
    ft: ['one foot', 'feet'],
    yd: counted('yard'),
    'km/h': [`one kilo${meter} per hour`, `kilo${meter}s per hour`],
    kph: [`one kilo${meter} per hour`, `kilo${meter}s per hour`],
    mph: ['one mile per hour', 'miles per hour'],
    'm/s': [`one ${meter} per second`, `${meter}s per second`],
    kg: counted('kilogram'),
    g: counted('gram'),
    mg: counted('milligram'),
    lb: counted('pound'),
    lbs: counted('pound'),
    oz: ['one ounce', 'ounces'],
    L: counted(liter),
    l: counted(liter),
    ml: counted(`milli${liter}`),
    mL: counted(`milli${liter}`),
    '°C': ['one degree Celsius', 'degrees Celsius'],
    '°F': ['one degree Fahrenheit', 'degrees Fahrenheit'],
    '°': counted('degree'),
    kB: counted('kilobyte'),
    KB: counted('kilobyte'),
    MB: counted('megabyte'),
    GB: counted('gigabyte'),
    TB: counted('terabyte'),
    Mbps: ['one megabit per second', 'megabits per second'],
    Gbps: ['one gigabit per second', 'gigabits per second'],
    Hz: ['one hertz', 'hertz'],
    kHz: ['one kilohertz', 'kilohertz'],
    MHz: ['one megahertz', 'megahertz'],
    GHz: ['one gigahertz', 'gigahertz'],
    W: counted('watt'),
    kW: counted('kilowatt'),
    kWh: counted('kilowatt hour'),
    ms: counted('millisecond'),
    sec: counted('second'),
    min: counted('minute'),
    hr: counted('hour'),
    hrs: counted('hour'),
    h: counted('hour'),
  }
}

export const american: Lexicon = {
  decimal: '.',
  to: 'to',
  about: 'about',
  and: 'and',
  equals: 'equals',
  numberSign: 'number',
  hashtag: 'hashtag',
  version: 'version',
  point: 'point',
  address: {
    '.': 'dot',
    '/': 'slash',
    '-': 'dash',
    _: 'underscore',
    '@': 'at',
    ':': 'colon',
    '~': 'tilde',
    '+': 'plus',
    '%': 'percent',
  },
  months: MONTHS,
  isMonthFirst: true,
  date: (day, month, year) => `${month} ${ordinal(day)}, ${year}`,
  time: sayTime,
  currencies: CURRENCIES,
  moneyAnd: (major, minor) => `${major} and ${minor}`,
  magnitudes: MAGNITUDES,
  units: unitsOf('meter', 'liter'),
  rules: ENGLISH_RULES,
  lastRules: ENGLISH_YEARS,
}

export const british: Lexicon = {
  ...american,
  isMonthFirst: false,
  date: (day, month, year) => `the ${ordinal(day)} of ${month} ${year}`,
  units: unitsOf('metre', 'litre'),
}

function sayTime(hours: number, minutes: string): string {
  if (minutes === '00')
    return hours >= 1 && hours <= 12 ? `${hours} o'clock` : `${hours === 0 ? 'zero' : hours} hundred`
  return minutes.startsWith('0') ? `${hours} oh ${minutes.slice(1)}` : `${hours} ${minutes}`
}

function counted(unit: string): Counted {
  return [`one ${unit}`, `${unit}s`]
}
