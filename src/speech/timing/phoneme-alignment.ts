/** Symbols [from, to) of the spoken phonemes. */
export interface SymbolSpan {
  readonly from: number
  readonly to: number
}

/**
 * Finds words in the phonemes of a whole clause or sentence: for each of `words` (phonemes of the word said alone, possibly
 * several words of eSpeak's) the symbols of `spoken` that are it. Words run together in speech ("of the"), weaken or change
 * at their edges, so the two are matched by weighted edit distance (Needleman and Wunsch, 1970) in which a space can only
 * meet a space or a mark. Undefined for a word of which nothing was found. Time and memory: the product of the two lengths.
 */
export function alignPhonemes(spoken: string, words: readonly string[]): (SymbolSpan | undefined)[] {
  const heard = [...spoken]
  const expected = words.flatMap((word, owner) =>
    [...word.replace(MARKS, ' ').trim(), ' '].map((symbol) => ({ symbol, owner })),
  )
  const owners = ownersOf(
    heard,
    expected.map(({ symbol }) => symbol),
    expected.map(({ owner }) => owner),
  )
  const spans: (SymbolSpan | undefined)[] = words.map(() => undefined)
  owners.forEach((owner, at) => {
    if (owner === undefined) return
    spans[owner] = { from: spans[owner]?.from ?? at, to: at + 1 }
  })
  return spans
}

const MARKS = /[.,;:!?…—"“”() ]+/g
const GAP = /^[.,;:!?…—"“”() ]$/
const PROSODY = /^(?:[ˈˌːʰʲ]|\u0303)$/
const VOWEL = /^[aeiouyæøœɐɑɒɔəɚɛɜɨɪɯʊʌɤᵊᵻAIOQWY]$/

type Kind = 'gap' | 'prosody' | 'vowel' | 'consonant'

function kindOf(symbol: string): Kind {
  if (GAP.test(symbol)) return 'gap'
  if (PROSODY.test(symbol)) return 'prosody'
  return VOWEL.test(symbol) ? 'vowel' : 'consonant'
}

/** Of leaving a symbol out or putting one in. */
const GAP_COSTS: Readonly<Record<Kind, number>> = { gap: 0.4, prosody: 0.2, vowel: 1, consonant: 1 }
const NEVER = 1_000

function substitutionCost(a: string, b: string, kindA: Kind, kindB: Kind): number {
  if (kindA === 'gap' || kindB === 'gap') return kindA === kindB ? 0 : NEVER
  if (a === b) return 0
  if (kindA !== kindB) return kindA === 'prosody' || kindB === 'prosody' ? NEVER : 1.6
  return kindA === 'consonant' ? 0.9 : 0.5
}

/** For each symbol heard that makes a sound, the word it belongs to. */
function ownersOf(
  heard: readonly string[],
  expected: readonly string[],
  owners: readonly number[],
): (number | undefined)[] {
  const width = heard.length + 1
  const heardKinds = heard.map(kindOf)
  const expectedKinds = expected.map(kindOf)
  const steps = new Uint8Array((expected.length + 1) * width)
  let above = new Float64Array(width)
  for (let j = 1; j < width; j++) {
    above[j] = above[j - 1]! + GAP_COSTS[heardKinds[j - 1]!]
    steps[j] = PUT_IN
  }
  for (let i = 1; i <= expected.length; i++) {
    const row = new Float64Array(width)
    const kind = expectedKinds[i - 1]!
    const leaveOut = GAP_COSTS[kind]
    row[0] = above[0]! + leaveOut
    steps[i * width] = LEFT_OUT
    for (let j = 1; j < width; j++) {
      const heardKind = heardKinds[j - 1]!
      const same = above[j - 1]! + substitutionCost(expected[i - 1]!, heard[j - 1]!, kind, heardKind)
      const putIn = row[j - 1]! + GAP_COSTS[heardKind]
      const leftOut = above[j]! + leaveOut
      const best = Math.min(same, putIn, leftOut)
      row[j] = best
      steps[i * width + j] = best === same ? SAME : best === putIn ? PUT_IN : LEFT_OUT
    }
    above = row
  }
  return trace(steps, heardKinds, expectedKinds, owners)
}

const SAME = 0
const PUT_IN = 1
const LEFT_OUT = 2

/** Sounds that no word expects belong to the word they touch: the next one behind a gap, else the one before. */
function trace(
  steps: Uint8Array,
  heardKinds: readonly Kind[],
  expectedKinds: readonly Kind[],
  owners: readonly number[],
): (number | undefined)[] {
  const width = heardKinds.length + 1
  const found = heardKinds.map((): number | undefined => undefined)
  const next = heardKinds.map((): number | undefined => undefined)
  let i = expectedKinds.length
  let j = heardKinds.length
  while (i > 0 || j > 0) {
    const step = steps[i * width + j]
    if (step !== PUT_IN) i -= 1
    if (step !== LEFT_OUT) j -= 1
    if (step === SAME) found[j] = owners[i]
    else if (step === PUT_IN) next[j] = owners[Math.min(i, owners.length - 1)]
  }
  heardKinds.forEach((kind, at) => {
    if (kind === 'gap') found[at] = undefined
    else found[at] ??= found[at - 1] ?? next[at]
  })
  return found
}
