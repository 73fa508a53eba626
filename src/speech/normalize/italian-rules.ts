import { abbreviations, BEFORE_PHONE, type Rule, rule, sayDigits } from './lexicon.ts'

export const MONTHS = [
  ...['gennaio', 'febbraio', 'marzo', 'aprile', 'maggio', 'giugno', 'luglio'],
  ...['agosto', 'settembre', 'ottobre', 'novembre', 'dicembre'],
]
const NAMED = MONTHS.join('|')
const PARTS = ['', '', 'mezzo', 'terzo', 'quarto', 'quinto', 'sesto', 'settimo', 'ottavo', 'nono', 'decimo']
/** Nouns that follow a single thing; "l'1 è" has none after it. */
const ONE_MASCULINE =
  'anno|mese|giorno|minuto|secondo|chilo|litro|metro|libro|pacchetto|bicchiere|milione|miliardo|figlio'
const ONE_FEMININE = 'settimana|persona|volta|tazza|notte|pagina|bambina|figlia|copia|dozzina|camera|parte'

/** What Italian writes shorter than it speaks. eSpeak reads Roman numerals as ordinals, as Italian does. */
export const ITALIAN_RULES: readonly Rule[] = [
  rule(/\bSig\.ra\s?/g, 'signora '),
  rule(/\bSig\.na\s?/g, 'signorina '),
  rule(/\bSig\.ri\s?/g, 'signori '),
  rule(/\bDott\.ssa\s?/gi, 'dottoressa '),
  rule(/\bProf\.ssa\s?/gi, 'professoressa '),
  abbreviations({
    Sig: 'signor',
    Sigg: 'signori',
    sig: 'signor',
    Dott: 'dottor',
    dott: 'dottor',
    Dr: 'dottor',
    Prof: 'professor',
    prof: 'professor',
    Ing: 'ingegner',
    ing: 'ingegner',
    Avv: 'avvocato',
    avv: 'avvocato',
    Arch: 'architetto',
    Rag: 'ragionier',
    Geom: 'geometra',
    On: 'onorevole',
    Sen: 'senatore',
    Gen: 'generale',
    Col: 'colonnello',
    Cap: 'capitano',
    Mons: 'monsignor',
    Spett: 'spettabile',
    Egr: 'egregio',
    Gent: 'gentile',
    Ss: 'santi',
    V: 'via',
    Pza: 'piazza',
    ca: 'circa',
    cfr: 'confronta',
    Cfr: 'confronta',
    tel: 'telefono',
    Tel: 'telefono',
    cell: 'cellulare',
    max: 'massimo',
    min: 'minimo',
    ecc: 'eccetera',
    es: 'esempio',
    Es: 'esempio',
  }),
  rule(/\bS\.\s(?=\p{Lu}\p{Ll})/gu, 'san '),
  rule(/\b(?:p\.\s?es\.|ad\ses\.|p\.\s?esempio)/gi, 'per esempio'),
  rule(/\becc\b/g, 'eccetera'),
  rule(/\ba\.\s?C\./g, 'avanti Cristo'),
  rule(/\bd\.\s?C\./g, 'dopo Cristo'),
  rule(/\bS\.?p\.?A\b\.?/g, 'società per azioni'),
  rule(/\be\/o\b/g, 'e o'),
  rule(/\b[nN](?:\.º|\.°|\.|°|º|r\.)\s?(?=\d)/g, 'numero '),
  rule(/\bpp?\.\s?(?=\d)|\bpagg?\.\s?(?=\d)/gi, 'pagina '),
  rule(/\bcap\.\s?(?=\d)/gi, 'capitolo '),
  rule(/\bart\.\s?(?=\d)/gi, 'articolo '),
  rule(/\bfig\.\s?(?=\d)/gi, 'figura '),
  rule(/\bvol\.\s?(?=\d)/gi, 'volume '),
  rule(/(?<=\d\s?)(?:mln|Mln)\b\.?/g, ' milioni'),
  rule(/(?<=\d\s?)(?:mld|Mld)\b\.?/g, ' miliardi'),
  rule(/\bsec\.\s(?=[XVI]+\b)/g, 'secolo '),
  rule(
    /(?<![\d.,])(\d{1,3})°(?=\s\p{Ll}{3})|(?<=\b(?:il|del|al|nel|dal|sul)\s)(\d{1,3})°(?!\s?[CF]\b)/gu,
    (a = '', b = '') => `${a || b}º`,
  ),
  rule(/(?<![\d.,])100([ºª])/g, (mark = '') => (mark === 'º' ? 'centesimo' : 'centesima')),
  rule(new RegExp(`(?<![\\d.,/-])(?:0?1º?)(?=\\s(?:${NAMED})\\b)`, 'g'), 'primo'),
  rule(
    /(?<!\d)([01]?\d|2[0-3])[.](\d{2})(?=\s(?:di|del|in)\s(?:mattina|pomeriggio|sera|punto))|(?<=\b(?:ore|alle|dalle|all')\s?)([01]?\d|2[0-3])\.([0-5]\d)(?![\d.,])/g,
    (a = '', b = '', c = '', d = '') => `${a || c}:${b || d}`,
  ),
  rule(
    new RegExp(`${BEFORE_PHONE}(3\\d{2}[ -]\\d{3}[ -]?\\d{4}|3\\d{2}[ -]\\d{7}|0\\d{1,3}[ -]\\d{5,8})(?![\\d.,])`, 'g'),
    (number = '') => sayDigits(number),
  ),
]

export const ITALIAN_LAST_RULES: readonly Rule[] = [
  rule(new RegExp(`(?<![\\d.,:/-])1 (?=(?:${ONE_MASCULINE})\\b)`, 'g'), 'un '),
  rule(new RegExp(`(?<![\\d.,:/-])1 (?=(?:${ONE_FEMININE})\\b)`, 'g'), 'una '),
  rule(/(?<![\d.,:/-])1 ora\b/g, "un'ora"),
  rule(/\bal (?=ora\b)/g, "all'"),
  rule(/\bal (?=persona\b|settimana\b|notte\b)/g, 'a '),
]

export function italianFraction(whole: string, part: number, of: number): string | undefined {
  const name = PARTS[of]
  if (name === undefined || name === '' || part >= of) return undefined
  const bare = part === 1 ? `un ${name}` : `${part} ${name.slice(0, -1)}i`
  if (whole === '') return bare
  return `${whole} e ${of === 2 ? 'mezzo' : bare}`
}
