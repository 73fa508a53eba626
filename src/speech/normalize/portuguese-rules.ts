import { abbreviations, alternatives, BEFORE_PHONE, ROMANS, type Rule, rule, sayDigits } from './lexicon.ts'

export const MONTHS = [
  ...['janeiro', 'fevereiro', 'março', 'abril', 'maio', 'junho', 'julho'],
  ...['agosto', 'setembro', 'outubro', 'novembro', 'dezembro'],
]
const ORDINALS = [
  '',
  'primeiro',
  'segundo',
  'terceiro',
  'quarto',
  'quinto',
  'sexto',
  'sétimo',
  'oitavo',
  'nono',
  'décimo',
]
const PARTS = ['', '', 'meio', 'terço', 'quarto', 'quinto', 'sexto', 'sétimo', 'oitavo', 'nono', 'décimo']
const HUNDREDS = [
  ...['', 'cento', 'duzentas', 'trezentas', 'quatrocentas', 'quinhentas', 'seiscentas', 'setecentas', 'oitocentas'],
  'novecentas',
]
const ONE_FEMININE = 'hora|semana|pessoa|vez|xícara|colher|unidade|noite|página|menina|filha|cópia|dúzia|pitada'
/** They end as feminine nouns do. */
const MASCULINE_IN_A = /(?:dias|[eo]mas|mapas|planetas|poetas|atletas|artistas|gramas)$/

/** What Portuguese writes shorter than it speaks. */
export const PORTUGUESE_RULES: readonly Rule[] = [
  rule(/\bD\.\s(?=\p{Lu})/gu, 'dom '),
  rule(/\b(Sra|Dra|Profa|Srta)\.?ª/g, '$1.'),
  abbreviations({
    Sr: 'senhor',
    Sra: 'senhora',
    Srs: 'senhores',
    Sras: 'senhoras',
    Srta: 'senhorita',
    Dr: 'doutor',
    Dra: 'doutora',
    Drs: 'doutores',
    Prof: 'professor',
    Profa: 'professora',
    Eng: 'engenheiro',
    Exmo: 'excelentíssimo',
    Exma: 'excelentíssima',
    Gen: 'general',
    Cel: 'coronel',
    Cap: 'capitão',
    Sto: 'santo',
    Sta: 'santa',
    Av: 'avenida',
    R: 'rua',
    Pça: 'praça',
    Rod: 'rodovia',
    Jd: 'jardim',
    apto: 'apartamento',
    Apto: 'apartamento',
    Cia: 'companhia',
    Ltda: 'limitada',
    aprox: 'aproximadamente',
    máx: 'máximo',
    mín: 'mínimo',
    Tel: 'telefone',
    tel: 'telefone',
    etc: 'etcétera',
    ex: 'exemplo',
    Ex: 'exemplo',
    vs: 'versus',
    obs: 'observação',
    Obs: 'observação',
  }),
  rule(/\bp\.\s?(?:ex\.|exemplo)/gi, 'por exemplo'),
  rule(/\bEUA\b/g, 'Estados Unidos'),
  rule(/\ba\.\s?C\./g, 'antes de Cristo'),
  rule(/\bd\.\s?C\./g, 'depois de Cristo'),
  rule(/\bs\/n\b/g, 'sem número'),
  rule(/\be\/ou\b/g, 'e ou'),
  rule(/\b[nN](?:\.?[º°]|\.)\s?(?=\d)/g, 'número '),
  rule(/\bp(?:p|ágs?|gs?)?\.\s?(?=\d)/giu, 'página '),
  rule(/\bcap\.\s?(?=\d)/gi, 'capítulo '),
  rule(/\bart\.\s?(?=\d)/gi, 'artigo '),
  rule(/\bfig\.\s?(?=\d)/gi, 'figura '),
  rule(/\bvol\.\s?(?=\d)/gi, 'volume '),
  rule(/(?<![\d.,])(\d{1,3})(?:\.º|\.°|°(?=\s\p{Ll}{3}))/gu, '$1º'),
  rule(/(?<=\b(?:o|do|ao|no)\s)(\d{1,3})°(?!\s?[CF]\b)/g, '$1º'),
  rule(/(?<![\d.,])(\d{1,3})\.ª/gu, '$1ª'),
  rule(/(?<![\d.,])100([ºª])/g, (mark = '') => (mark === 'º' ? 'centésimo' : 'centésima')),
  rule(
    /\b(?:0?1[º°]?)(?=\sde\s(?:janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro))/g,
    'primeiro',
  ),
  rule(
    new RegExp(
      `(?<=\\b(?!Capítulo|Tomo|Parte|Ato|Guerra|Título|Fase|Tipo|Nível|Volume)(?:\\p{Lu}\\p{Ll}+|[Ss]éculo)\\s)(${alternatives(ROMANS.slice(1, 11))})(?![\\p{L}\\d.])`,
      'gu',
    ),
    (roman = '') => ORDINALS[ROMANS.indexOf(roman)] ?? roman,
  ),
  rule(/\b([Ss])éc\.\s?(?=[XVI\d])/gu, '$1éculo '),
  rule(/(?<!\d)(\d{1,2})\s?h\s?(\d{2})(?:\s?min)?(?![\p{L}\d])/gu, '$1:$2'),
  rule(
    new RegExp(`${BEFORE_PHONE}(\\(\\d{2}\\)\\s?\\d{4,5}[ -]\\d{4}|9\\d{4}[ -]\\d{4}|\\d{4}-\\d{4})(?![\\d.,-])`, 'g'),
    (number = '') => (/^(?:19|20)\d\d-(?:19|20)\d\d$/.test(number) ? number : sayDigits(number)),
  ),
]

/** Numbers that still stand before a noun bend with it: "duas pessoas". */
export const PORTUGUESE_LAST_RULES: readonly Rule[] = [
  rule(new RegExp(`(?<![\\d.,:/-])1 (?=(?:${ONE_FEMININE})(?!\\p{L}))`, 'gu'), 'uma '),
  rule(/(?<![\p{L}\d.,:/-])(\d+(?:\.\d{3})*) (?=(\p{Ll}{2,}s)(?!\p{L}))/gu, (figures = '', noun = '') => {
    const isFeminine = /(?:as|[çs]ões|dades|gens|tudes|vezes|noites)$/.test(noun) && !MASCULINE_IN_A.test(noun)
    return `${portugueseCount(figures, isFeminine)} `
  }),
]

export function portugueseFraction(whole: string, part: number, of: number): string | undefined {
  const name = PARTS[of]
  if (name === undefined || name === '' || part >= of) return undefined
  const bare = of === 2 ? 'meio' : part === 1 ? `um ${name}` : `${part} ${name}s`
  return whole === '' ? bare : `${whole} e ${bare}`
}

/** One and two at the end, and the hundreds, have a gender. The thousands stay figures. */
export function portugueseCount(written: string, isFeminine: boolean): string {
  const figures = written.replace(/\./g, '')
  if (!isFeminine || !/^[1-9]\d{0,5}$/.test(figures)) return written
  const number = Number(figures)
  const rest = number % 1_000
  const thousands = Math.floor(number / 1_000)
  const said = [
    ...(thousands === 0 ? [] : [thousands === 1 ? 'mil' : `${portugueseCount(String(thousands), true)} mil`]),
    ...(rest === 0 ? [] : [bent(rest)]),
  ]
  // What nothing bends in stays as it was.
  if (!/\p{L}/u.test(said.join('').replace('mil', ''))) return written
  return said.join(rest < 100 || rest % 100 === 0 ? ' e ' : ' ')
}

function bent(number: number): string {
  const parts = [HUNDREDS[Math.floor(number / 100)] ?? '', tail(number % 100)].filter((part) => part !== '')
  return number < 200 && !/\p{L}/u.test(parts.at(-1) ?? '') ? String(number) : parts.join(' e ')
}

function tail(number: number): string {
  const one = number % 10
  if (![1, 2].includes(one) || [11, 12].includes(number)) return number === 0 ? '' : String(number)
  const word = one === 1 ? 'uma' : 'duas'
  return number < 10 ? word : `${number - one} e ${word}`
}
