import { type Lexicon, rule } from './lexicon.ts'

const ORDINALS = [
  ...['', 'premier', 'deuxième', 'troisième', 'quatrième', 'cinquième', 'sixième', 'septième', 'huitième', 'neuvième'],
  ...['dixième', 'onzième', 'douzième', 'treizième', 'quatorzième', 'quinzième', 'seizième', 'dix-septième'],
  ...['dix-huitième', 'dix-neuvième'],
]
const TENS = ['', '', 'vingtième', 'trentième', 'quarantième', 'cinquantième', 'soixantième', '', 'quatre-vingtième']
const ROMANS = [
  ...['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII', 'XIII', 'XIV', 'XV', 'XVI', 'XVII'],
  ...['XVIII', 'XIX', 'XX', 'XXI'],
]
const ROMAN = ROMANS.slice(1)
  .sort((a, b) => b.length - a.length)
  .join('|')

export const french: Lexicon = {
  decimal: ',',
  to: 'à',
  about: 'environ',
  and: 'et',
  equals: 'égale',
  numberSign: 'numéro',
  hashtag: 'hashtag',
  version: 'version',
  point: 'point',
  address: {
    '.': 'point',
    '/': 'slash',
    '-': 'tiret',
    _: 'tiret bas',
    '@': 'arobase',
    ':': 'deux points',
    '~': 'tilde',
    '+': 'plus',
    '%': 'pour cent',
  },
  months: [
    ...['janvier', 'février', 'mars', 'avril', 'mai', 'juin', 'juillet'],
    ...['août', 'septembre', 'octobre', 'novembre', 'décembre'],
  ],
  isMonthFirst: false,
  date: (day, month, year) => `${day === 1 ? 'premier' : day} ${month} ${year}`,
  time: (hours, minutes) => {
    const said = hours === 1 ? 'une heure' : `${hours} ${hours === 0 ? 'heure' : 'heures'}`
    return minutes === '00' ? said : `${said} ${Number(minutes)}`
  },
  currencies: {
    $: { major: ['un dollar', 'dollars'], minor: ['un cent', 'cents'] },
    US$: { major: ['un dollar', 'dollars'], minor: ['un cent', 'cents'] },
    '£': { major: ['une livre', 'livres'], minor: ['un penny', 'pence'] },
    '€': { major: ['un euro', 'euros'], minor: ['un centime', 'centimes'] },
    '¥': { major: ['un yen', 'yens'] },
    '₹': { major: ['une roupie', 'roupies'], minor: ['un paisa', 'paisas'] },
  },
  moneyAnd: (major, minor) => `${major} ${minor}`,
  magnitudes: {
    k: 'mille',
    M: 'millions de',
    million: 'million de',
    millions: 'millions de',
    Md: 'milliards de',
    milliards: 'milliards de',
  },
  units: {
    km: ['un kilomètre', 'kilomètres'],
    m: ['un mètre', 'mètres'],
    cm: ['un centimètre', 'centimètres'],
    mm: ['un millimètre', 'millimètres'],
    'm²': ['un mètre carré', 'mètres carrés'],
    'km²': ['un kilomètre carré', 'kilomètres carrés'],
    'km/h': ['un kilomètre heure', 'kilomètres heure'],
    'm/s': ['un mètre par seconde', 'mètres par seconde'],
    kg: ['un kilogramme', 'kilogrammes'],
    g: ['un gramme', 'grammes'],
    mg: ['un milligramme', 'milligrammes'],
    l: ['un litre', 'litres'],
    L: ['un litre', 'litres'],
    ml: ['un millilitre', 'millilitres'],
    '°C': ['un degré Celsius', 'degrés Celsius'],
    '°': ['un degré', 'degrés'],
    Mo: ['un mégaoctet', 'mégaoctets'],
    Go: ['un gigaoctet', 'gigaoctets'],
    kW: ['un kilowatt', 'kilowatts'],
    kWh: ['un kilowattheure', 'kilowattheures'],
    min: ['une minute', 'minutes'],
    h: ['une heure', 'heures'],
  },
  rules: [
    rule(/\bM\.\s(?=\p{Lu}|et\s)/gu, 'monsieur '),
    rule(/\bMM\.\s(?=\p{Lu})/gu, 'messieurs '),
    rule(/\bMme\.?\s/g, 'madame '),
    rule(/\bMmes\.?\s/g, 'mesdames '),
    rule(/\bMlle\.?\s/g, 'mademoiselle '),
    rule(/\bDr\.?\s(?=\p{Lu})/gu, 'docteur '),
    rule(/\bPr\.?\s(?=\p{Lu})/gu, 'professeur '),
    rule(/\bSt[.-]?\s?(?=\p{Lu})/gu, 'saint '),
    rule(/\bSte[.-]?\s?(?=\p{Lu})/gu, 'sainte '),
    rule(/\bp\.\s?ex\./g, 'par exemple'),
    rule(/\bav\.\s?J\.-?C\./g, 'avant Jésus-Christ'),
    rule(/\b[nN][°º]\s?(?=\d)/g, 'numéro '),
    rule(/(?<!\d)(\d{1,2})\s?h\s?(\d{2})(?![\p{L}\d])/gu, '$1:$2'),
    rule(/\b(?:1|I)er\b/g, 'premier'),
    rule(/\b(?:1|I)(?:[èe]re|re)\b/g, 'première'),
    rule(/\b([1-9]\d{0,2})(?:e|ème|eme|è)s?(?![\p{L}\d])/gu, (number = '') => ordinal(Number(number))),
    rule(new RegExp(`\\b(${ROMAN})(?:e|ème)(?![\\p{L}\\d])`, 'gu'), (roman = '') => ordinal(ROMANS.indexOf(roman))),
    rule(new RegExp(`(?<=\\b\\p{Lu}\\p{Ll}+\\s)(${ROMAN})(?![\\p{L}\\d.])`, 'gu'), (roman = '') =>
      String(ROMANS.indexOf(roman)),
    ),
  ],
  lastRules: [rule(/\bde (?=euros?\b)/g, "d'")],
}

/** 21: the figure 20 and "et unième"; the last two digits bend, what stands before them stays figures. */
function ordinal(number: number): string {
  const rest = number % 100
  const hundreds = number - rest
  if (hundreds > 0)
    return rest === 0 ? `${hundreds / 100 > 1 ? hundreds / 100 : ''} centième` : `${hundreds} ${ordinal(rest)}`
  const simple = ORDINALS[rest]
  if (simple !== undefined) return rest === 1 ? 'unième' : simple
  const isTwenties = rest >= 60
  const tens = isTwenties ? Math.floor(rest / 20) * 20 : Math.floor(rest / 10) * 10
  const units = rest - tens
  if (units === 0) return TENS[tens / 10] ?? ''
  const joins = (units === 1 || units === 11) && tens < 80
  return `${tens} ${joins ? 'et ' : ''}${units === 1 ? 'unième' : ORDINALS[units]}`
}
