import { abbreviations, alternatives, BEFORE_PHONE, ROMANS, type Rule, rule, sayDigits } from './lexicon.ts'

export const MONTHS = [
  ...['enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio', 'julio'],
  ...['agosto', 'septiembre', 'octubre', 'noviembre', 'diciembre'],
]
const ORDINALS = [
  '',
  'primero',
  'segundo',
  'tercero',
  'cuarto',
  'quinto',
  'sexto',
  'séptimo',
  'octavo',
  'noveno',
  'décimo',
]
const PARTS = ['', '', 'medio', 'tercio', 'cuarto', 'quinto', 'sexto', 'séptimo', 'octavo', 'noveno', 'décimo']
const HUNDREDS = [
  ...['', 'ciento', 'doscientos', 'trescientos', 'cuatrocientos', 'quinientos', 'seiscientos', 'setecientos'],
  ...['ochocientos', 'novecientos'],
]
/** Nouns that follow a single thing; "el 1 fue" has none after it. */
const ONE_MASCULINE =
  'año|mes|día|minuto|segundo|kilo|litro|metro|libro|paquete|vaso|diente|millón|billón|hijo|ejemplar'
const ONE_FEMININE =
  'hora|semana|persona|vez|taza|cucharada|cucharadita|pizca|unidad|noche|página|niña|hija|copia|docena'
/** They end as feminine nouns do. */
const MASCULINE_IN_A = /(?:días|[eo]mas|mapas|planetas|poetas|atletas|artistas)$/

/** What Spanish writes shorter than it speaks. */
export const SPANISH_RULES: readonly Rule[] = [
  rule(/\bD\.ª\s?|\bDña\.\s?/g, 'doña '),
  rule(/\bD\.\s(?=\p{Lu})/gu, 'don '),
  abbreviations({
    Sr: 'señor',
    Sra: 'señora',
    Srta: 'señorita',
    Sres: 'señores',
    Srs: 'señores',
    Sras: 'señoras',
    Dr: 'doctor',
    Dra: 'doctora',
    Dres: 'doctores',
    Prof: 'profesor',
    Profa: 'profesora',
    Lic: 'licenciado',
    Licda: 'licenciada',
    Ing: 'ingeniero',
    Arq: 'arquitecto',
    Gral: 'general',
    Cnel: 'coronel',
    Excmo: 'excelentísimo',
    Excma: 'excelentísima',
    Ilmo: 'ilustrísimo',
    Ilma: 'ilustrísima',
    Sto: 'santo',
    Sta: 'santa',
    Ud: 'usted',
    Uds: 'ustedes',
    Vd: 'usted',
    Vds: 'ustedes',
    Av: 'avenida',
    Avda: 'avenida',
    Pza: 'plaza',
    Ctra: 'carretera',
    Dpto: 'departamento',
    dpto: 'departamento',
    izq: 'izquierda',
    dcha: 'derecha',
    aprox: 'aproximadamente',
    máx: 'máximo',
    mín: 'mínimo',
    Tel: 'teléfono',
    tel: 'teléfono',
    tfno: 'teléfono',
    Cía: 'compañía',
    admón: 'administración',
    etc: 'etcétera',
    ej: 'ejemplo',
    Ej: 'ejemplo',
    vs: 'contra',
  }),
  rule(/\bp\.\s?ej\./gi, 'por ejemplo'),
  rule(/\bp\.\sejemplo/gi, 'por ejemplo'),
  rule(/\bEE\.?\s?UU\.?(?!\p{L})/gu, 'Estados Unidos'),
  rule(/\b(?:a\.\s?(?:de\s)?C\.|a\.\s?n\.\s?e\.)/g, 'antes de Cristo'),
  rule(/\bd\.\s?(?:de\s)?C\./g, 'después de Cristo'),
  rule(/\b[cC]\/\s?(?=\p{Lu})/gu, 'calle '),
  rule(/\bs\/n\b/g, 'sin número'),
  rule(/\by\/o\b/g, 'y o'),
  rule(/(?<![\p{L}.])(?:n\.?º|n\.°|n°|núms?\.|No\.)\s?(?=\d)/giu, 'número '),
  rule(/\bpp?\.\s?(?=\d)|\bpágs?\.\s?(?=\d)/giu, 'página '),
  rule(/\bcaps?\.\s?(?=\d)/gi, 'capítulo '),
  rule(/\bart\.\s?(?=\d)/gi, 'artículo '),
  rule(/\bfig\.\s?(?=\d)/gi, 'figura '),
  rule(/\bvol\.\s?(?=\d)/gi, 'volumen '),
  rule(/(?<!\d)(\d*)1\.?er\b/g, (tens = '') => (tens === '' ? 'primer' : `${tens}1º`)),
  rule(/(?<!\d)3\.?er\b/g, 'tercer'),
  // The full stop that Spanish puts before the raised letter, and the degree sign for it.
  rule(/(?<![\d.,])(\d{1,3})(?:\.º|\.°|°(?=\s\p{Ll}{3}))/gu, '$1º'),
  rule(/(?<=\b(?:el|del|al)\s)(\d{1,3})°(?!\s?[CF]\b)/g, '$1º'),
  rule(/(?<![\d.,])(\d{1,3})\.ª/gu, '$1ª'),
  rule(/(?<![\d.,])100([ºª])/g, (mark = '') => (mark === 'º' ? 'centésimo' : 'centésima')),
  rule(new RegExp(`(?<=\\b(?:[Ss]iglos?|[Ss]\\.)\\s)(${alternatives(ROMANS.slice(1, 11))})\\b`, 'g'), (roman = '') =>
    String(ROMANS.indexOf(roman)),
  ),
  rule(/\bs\.\s(?=[XVI]+\b)/g, 'siglo '),
  rule(
    new RegExp(
      `(?<=\\b(?!Capítulo|Tomo|Parte|Acto|Guerra|Título|Fase|Tipo|Nivel|Volumen)\\p{Lu}\\p{Ll}+\\s)(${alternatives(ROMANS.slice(1, 11))})(?![\\p{L}\\d.])`,
      'gu',
    ),
    (roman = '') => ORDINALS[ROMANS.indexOf(roman)] ?? roman,
  ),
  rule(
    /(?<![\d.,-])(\d{1,2})-(\d{1,2})(?=\sde\s(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre))/g,
    '$1 al $2',
  ),
  rule(
    /\b(?:0?1|[Uu]no)(?=\sde\s(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre))/g,
    'uno',
  ),
  rule(/(?<!\d)(\d{1,2})[.:](\d{2})\s?h(?:s|rs)?\b\.?/g, '$1:$2'),
  rule(/(?<!\d)(\d{1,2})\s?h\s?(\d{2})(?![\p{L}\d])/gu, '$1:$2'),
  rule(
    new RegExp(
      `${BEFORE_PHONE}([6-9]\\d{2}[ -]\\d{3}[ -]\\d{3}|[6-9]\\d{2}(?:[ -]\\d{2}){3}|[89]\\d[ -]\\d{3}[ -]\\d{2}[ -]\\d{2})(?![\\d.,])`,
      'g',
    ),
    (number = '') => sayDigits(number),
  ),
]

/** Numbers that still stand before a noun bend with it: 21 años, 21 horas. */
export const SPANISH_LAST_RULES: readonly Rule[] = [
  // eSpeak says "uno mil".
  rule(
    /(?<!\d)(1\d{9})(?!\d)/g,
    (number = '') => `mil ${Number(number.slice(1, 4))} millones ${Number(number.slice(4)) || ''}`,
  ),
  rule(/(?<=\d) y medio (?=\p{Ll}+as(?!\p{L}))/gu, ' y media '),
  rule(new RegExp(`(?<![\\d.,:/-])1 (?=(?:${ONE_MASCULINE})\\b)`, 'g'), 'un '),
  rule(new RegExp(`(?<![\\d.,:/-])1 (?=(?:${ONE_FEMININE})(?!\\p{L}))`, 'gu'), 'una '),
  rule(/(?<![\p{L}\d.,:/-])(\d+(?:\.\d{3})*) (?=(\p{Ll}{2,}[aeo]?s)(?!\p{L}))/gu, (figures = '', noun = '') => {
    const isFeminine = /(?:as|[cs]iones|dades|tudes)$/.test(noun) && !MASCULINE_IN_A.test(noun)
    return `${spanishCount(figures, isFeminine)} `
  }),
]

export function spanishFraction(whole: string, part: number, of: number): string | undefined {
  const name = PARTS[of]
  if (name === undefined || name === '' || part >= of) return undefined
  const bare = of === 2 ? 'medio' : part === 1 ? `un ${name}` : `${part} ${name}s`
  if (whole !== '') return `${whole} y ${bare}`
  return of === 2 ? 'un medio' : bare
}

/** One at the end is "un" or "una" before a noun, and hundreds have a gender, too. The thousands stay figures. */
export function spanishCount(written: string, isFeminine: boolean): string {
  const figures = written.replace(/\./g, '')
  const number = Number(figures)
  if (!/^\d{1,9}$/.test(figures) || figures.startsWith('0')) return written
  const rest = number % 1_000
  const endsInOne = rest % 10 === 1 && rest % 100 !== 11
  if (isFeminine && number >= 200_000 && number < 1_000_000)
    return `${spanishCount(String(Math.floor(number / 1_000)), true)} mil ${rest === 0 ? '' : spanishCount(String(rest), true)}`.trim()
  const hasGender = isFeminine && rest >= 200
  if (!endsInOne && !hasGender) return written
  const thousands = number < 1_000 ? '' : `${number - rest} `
  const hundreds = HUNDREDS[Math.floor(rest / 100)] ?? ''
  const head = isFeminine ? hundreds.replace(/os$/, 'as') : hundreds
  return `${thousands}${head} ${tail(rest % 100, isFeminine)}`.trim().replace(/ {2,}/g, ' ')
}

function tail(number: number, isFeminine: boolean): string {
  if (number % 10 !== 1 || number === 11) return number === 0 ? '' : String(number)
  const one = isFeminine ? 'una' : 'un'
  if (number === 1) return one
  return number === 21 ? (isFeminine ? 'veintiuna' : 'veintiún') : `${number - 1} y ${one}`
}
