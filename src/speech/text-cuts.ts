import type { Pronunciation } from './task-protocol.ts'

/** A place to cut: the second part begins at `index`, or after the white space there. Both parts hold something. */
export interface TextCut {
  readonly index: number
  /** What a reader does at this place. */
  readonly pause: 'none' | 'clause' | 'sentence'
}

const CLOSERS = `["'”’»›)\\]}」』】》〉）］*_]*`
/** A full stop after few letters may be an abbreviation's. */
const SENTENCE_END = new RegExp(`(?:[!?…]|(?<=\\p{L}{5})\\.)${CLOSERS}(?=\\s)|[。！？।॥]${CLOSERS}`, 'gu')
const CLAUSE_END = new RegExp(`[;:]${CLOSERS}(?=\\s)|[；：]${CLOSERS}|\\s[—–-](?=\\s)|—(?=\\S)`, 'g')
const PHRASE_END = new RegExp(`[,،]${CLOSERS}(?=\\s)|[，、]${CLOSERS}|[)\\]](?=\\s)|\\s(?=[(\\[“«])`, 'g')
const WORD_END = /\s/g

/** Words that a phrase begins with, so that the place before them is better than the next best space. */
const CONJUNCTIONS: Readonly<Record<Pronunciation, RegExp>> = {
  'en-us': before('and but or so because which that when while if although where who than then with for'),
  'en-gb': before('and but or so because which that when while if although where who than then with for'),
  es: before('y e o pero porque que cuando mientras si aunque donde como para con'),
  fr: before('et ou mais car parce que qui quand lorsque si alors dont où pour avec'),
  it: before('e o ma perché che quando mentre se anche dove come per con'),
  'pt-br': before('e ou mas porque que quando enquanto se embora onde como para com'),
  hi: before('और या लेकिन क्योंकि कि जब तो अगर जो'),
  de: before('und oder aber denn weil dass wenn als während obwohl wo wie für mit der die das um'),
  ru: before('и или но а потому что чтобы который которая которые когда если где как для с'),
  uk: before('і й або але а тому що щоб який яка які коли якщо де як для з'),
  pl: before('i lub ale bo że żeby który która które kiedy gdy jeśli gdzie jak dla z'),
  tr: before('ve veya ama fakat çünkü ki eğer ile için'),
  id: before('dan atau tetapi tapi karena yang bahwa ketika jika di untuk dengan'),
  // After a particle, before a word of content; particles are hiragana, most words of content begin otherwise.
  ja: /(?<=[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}][はがをにでとても])(?=[\p{Script=Han}\p{Script=Katakana}])/gu,
  zh: /(?=但是|而且|因为|所以|如果|虽然|并且|以及|或者|但|而|和|与|或|在|对|从)/g,
}

/**
 * The best place within [from, to] of the text: a strong mark counts for more than being near `target`, a space for less.
 * Undefined when there is not even a space.
 */
export function strongestCut(
  text: string,
  from: number,
  target: number,
  to: number,
  pronunciation?: Pronunciation,
): TextCut | undefined {
  const kinds = [
    { marks: SENTENCE_END, strength: 1.2, pause: 'sentence' },
    { marks: CLAUSE_END, strength: 1, pause: 'clause' },
    { marks: PHRASE_END, strength: 0.8, pause: 'clause' },
    ...(pronunciation ? [{ marks: CONJUNCTIONS[pronunciation], strength: 0.4, pause: 'none' } as const] : []),
    { marks: WORD_END, strength: 0.1, pause: 'none' },
  ] as const
  let best: TextCut | undefined
  let bestScore = Number.NEGATIVE_INFINITY
  for (const { marks, strength, pause } of kinds) {
    for (const index of placesAfter(text, marks, from, to)) {
      const score = strength - Math.abs(index - target) / Math.max(1, to - from)
      if (score <= bestScore) continue
      best = { index, pause }
      bestScore = score
    }
  }
  return best
}

/** A character of sensible length ends within so many units; one that doesn't (stacked accents) isn't kept whole. */
const CHARACTER_LENGTH_MAX = 32
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** The place nearest to `target` that cuts no character (grapheme) in two. Undefined when there is none near. */
export function nearestCharacterCut(text: string, target: number): TextCut | undefined {
  const from = Math.max(0, Math.floor(target) - CHARACTER_LENGTH_MAX)
  const window = text.slice(from, Math.ceil(target) + CHARACTER_LENGTH_MAX)
  let nearest: number | undefined
  for (const { index } of graphemes.segment(window)) {
    // The window may begin inside a character, so only what begins later is known to begin there.
    if (index === 0) continue
    const place = from + index
    if (nearest === undefined || Math.abs(place - target) < Math.abs(nearest - target)) nearest = place
  }
  return nearest === undefined ? undefined : { index: nearest, pause: 'none' }
}

/** Where a second part could begin: after each match that ends within [from, to], never at the edges of the text. */
function* placesAfter(text: string, marks: RegExp, from: number, to: number): Generator<number> {
  // Marks may look at the few characters around them.
  const start = Math.max(0, Math.floor(from) - MARK_CONTEXT)
  const window = text.slice(start, Math.ceil(to) + MARK_CONTEXT)
  for (const match of window.matchAll(marks)) {
    const index = start + match.index + match[0].length
    if (index >= from && index <= to && index > 0 && index < text.length) yield index
  }
}

const MARK_CONTEXT = 12

function before(words: string): RegExp {
  return new RegExp(`\\s(?=(?:${words.replaceAll(' ', '|')})\\s)`, 'giu')
}
