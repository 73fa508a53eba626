import { abbreviations, alternatives, ROMANS, type Rule, rule } from './lexicon.ts'

export const MONTHS = [
  ...['janvier', 'février', 'mars', 'avril', 'mai', 'juin', 'juillet'],
  ...['août', 'septembre', 'octobre', 'novembre', 'décembre'],
]
const NAMED = MONTHS.join('|')
const ORDINALS = [
  ...['', 'premier', 'deuxième', 'troisième', 'quatrième', 'cinquième', 'sixième', 'septième', 'huitième', 'neuvième'],
  ...['dixième', 'onzième', 'douzième', 'treizième', 'quatorzième', 'quinzième', 'seizième', 'dix-septième'],
  ...['dix-huitième', 'dix-neuvième'],
]
const TENS = ['', '', 'vingtième', 'trentième', 'quarantième', 'cinquantième', 'soixantième', '', 'quatre-vingtième']
const ROMAN = alternatives(ROMANS.slice(1))
const FEMININE =
  'fois|heures?|minutes?|secondes?|personnes?|semaines?|années?|journées?|pages?|tonnes?|nuits?|filles?|femmes?|places?' +
  '|voitures?|maisons?|pièces?|tasses?|cuillères?|étoiles?|voix|chambres?'

/** What French writes shorter than it speaks. */
export const FRENCH_RULES: readonly Rule[] = [
  rule(/\bM\.\s(?=\p{Lu}|et\s)/gu, 'monsieur '),
  rule(/\bMM\.\s(?=\p{Lu})/gu, 'messieurs '),
  rule(/\bMme\.?\s/g, 'madame '),
  rule(/\bMmes\.?\s/g, 'mesdames '),
  rule(/\bMlle\.?\s/g, 'mademoiselle '),
  rule(/\bMlles\.?\s/g, 'mesdemoiselles '),
  rule(/\bMgr\.?\s/g, 'monseigneur '),
  rule(/\bDr\.?\s(?=\p{Lu})/gu, 'docteur '),
  rule(/\bPr\.?\s(?=\p{Lu})/gu, 'professeur '),
  rule(/\bMe\s(?=\p{Lu}\p{Ll})/gu, 'maître '),
  rule(/\bSt[.-]?\s?(?=\p{Lu})/gu, 'saint '),
  rule(/\bSte[.-]?\s?(?=\p{Lu})/gu, 'sainte '),
  rule(/\bp\.\s?ex\./g, 'par exemple'),
  rule(/\bc\.-?\s?à\s?-?d\./g, "c'est-à-dire"),
  rule(/(?<!\p{L})c-à-d\b\.?/gu, "c'est-à-dire"),
  rule(/\bav\.\s?J\.-?\s?C\./g, 'avant Jésus-Christ'),
  rule(/\bapr?\.\s?J\.-?\s?C\./g, 'après Jésus-Christ'),
  abbreviations({
    cf: 'confère',
    Cf: 'confère',
    etc: 'et cétéra',
    env: 'environ',
    ex: 'exemple',
    Ex: 'exemple',
    tél: 'téléphone',
    Tél: 'téléphone',
    bd: 'boulevard',
    Bd: 'boulevard',
    boul: 'boulevard',
    av: 'avenue',
    Av: 'avenue',
    pl: 'place',
    apt: 'appartement',
    appt: 'appartement',
    max: 'maximum',
    éd: 'édition',
    dép: 'département',
    réf: 'référence',
    Réf: 'référence',
    Cie: 'compagnie',
  }),
  rule(/\bvs\b\.?/g, 'versus'),
  rule(/\bet\/ou\b/g, 'et ou'),
  rule(/\b[nN](?:[°º]|o\.)\s?(?=\d)/g, 'numéro '),
  rule(/\bpp?\.\s?(?=\d)/g, 'page '),
  rule(/\bchap\.\s?(?=\d)/gi, 'chapitre '),
  rule(/\bart\.\s?(?=\d)/gi, 'article '),
  rule(/\bfig\.\s?(?=\d)/gi, 'figure '),
  rule(/\bvol\.\s?(?=\d)/gi, 'volume '),
  rule(/(?<!\d)(\d{1,2})\s?h\s?(\d{2})(?:\s?min)?(?![\p{L}\d])/gu, '$1:$2'),
  rule(/\b(?:1|I)er\b/g, 'premier'),
  rule(/\b(?:1|I)(?:[èe]re|re)\b/g, 'première'),
  rule(/\b2nde?\b/g, (_ = '') => 'second'),
  rule(/\b([1-9]\d{0,2})(?:e|ème|eme|è)(s?)(?![\p{L}\d])/gu, (number = '') => ordinal(Number(number))),
  rule(new RegExp(`\\b(${ROMAN})(?:e|ème)s?(?![\\p{L}\\d])`, 'gu'), (roman = '') => ordinal(ROMANS.indexOf(roman))),
  rule(
    /(?<=\b(?!Chapitre|Tome|Partie|Acte|Livre|Volume|Niveau|Phase|Type|Titre|Guerre)\p{Lu}\p{L}+\s)I(?![\p{L}\d.'])/gu,
    'premier',
  ),
  rule(new RegExp(`(?<=\\b\\p{Lu}\\p{L}+\\s)(${ROMAN})(?![\\p{L}\\d.'])`, 'gu'), (roman = '') =>
    String(ROMANS.indexOf(roman)),
  ),
  rule(new RegExp(`(?<![\\d.,/-])0?1(?=\\s(?:${NAMED})(?!\\p{L}))`, 'gu'), 'premier'),
  // Telephone numbers are read in pairs, as they are written.
  rule(/(?<![\d.,+/-])(0\d(?:[ .-]\d\d){4})(?![\d.,]\d|\d)/g, (number = '') => number.split(/[ .-]/).join(', ')),
  rule(
    /\+33\s?\(?0?\)?(\d)((?:[ .-]?\d\d){4})(?!\d)/g,
    (first = '', pairs = '') => `plus 33, ${first}, ${(pairs.match(/\d\d/g) ?? []).join(', ')}`,
  ),
]

/** Numbers that still stand before a noun bend with it: "une personne". */
export const FRENCH_LAST_RULES: readonly Rule[] = [
  rule(/\bde (?=euros?\b)/g, "d'"),
  rule(
    new RegExp(`(?<![\\p{L}\\d.,:/-])(\\d*1) (?=(?:${FEMININE})(?!\\p{L}))`, 'gu'),
    (figures = '') => `${frenchCount(figures, true)} `,
  ),
]

export function frenchFraction(whole: string, part: number, of: number): string | undefined {
  const name = of === 2 ? 'demi' : of === 3 ? 'tiers' : of === 4 ? 'quart' : of <= 20 ? ORDINALS[of] : undefined
  if (name === undefined || of < 2 || part >= of) return undefined
  const bare = part === 1 ? `un ${name}` : `${part} ${name}${of === 3 ? '' : 's'}`
  if (whole === '') return bare
  return `${whole} et ${of === 2 ? 'demi' : bare}`
}

/** "Une" at the end before a feminine noun: 21 is the figure 20 and "et une". */
export function frenchCount(written: string, isFeminine: boolean): string {
  if (!isFeminine || !/^\d{1,9}$/.test(written)) return written
  const number = Number(written)
  const rest = number % 100
  if (rest % 10 !== 1 || [11, 71, 91].includes(rest)) return written
  const before = number - 1
  if (before === 0) return 'une'
  return rest === 1 || rest === 81 ? `${before} une` : `${before} et une`
}

/** 21: the figure 20 and "et unième"; the last two digits bend, what stands before them stays figures. */
function ordinal(number: number): string {
  const rest = number % 100
  const hundreds = number - rest
  if (hundreds > 0)
    return rest === 0 ? `${hundreds / 100 > 1 ? `${hundreds / 100} ` : ''}centième` : `${hundreds} ${ordinal(rest)}`
  const simple = ORDINALS[rest]
  if (simple !== undefined) return rest === 1 ? 'unième' : simple
  const isTwenties = rest >= 60
  const tens = isTwenties ? Math.floor(rest / 20) * 20 : Math.floor(rest / 10) * 10
  const units = rest - tens
  if (units === 0) return TENS[tens / 10] ?? ''
  const joins = (units === 1 || units === 11) && tens < 80
  return `${tens} ${joins ? 'et ' : ''}${units === 1 ? 'unième' : ORDINALS[units]}`
}
