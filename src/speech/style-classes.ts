/**
 * Kokoro's voices hold one style vector per token count. Windows are rendered with statistics that belong to one style
 * vector, so a voice uses one representative row for each range of lengths. A class is an index into this table.
 */
export interface StyleClass {
  /** Longest text of the class, in tokens. */
  readonly tokensMax: number
  /** Row of the voice's style table that stands for the class. */
  readonly row: number
}

export const STYLE_CLASSES: readonly StyleClass[] = [
  { tokensMax: 20, row: 14 },
  { tokensMax: 40, row: 30 },
  { tokensMax: 80, row: 60 },
  { tokensMax: 160, row: 120 },
  { tokensMax: 510, row: 230 },
]

/** The class whose rows mixtures of voices are tried with: most sentences belong to it. */
export const TRIAL_STYLE_CLASS = 2

/** Floats in one style vector, and in the first part of it, which is about timbre. The rest is about prosody. */
export const STYLE_WIDTH = 256
export const TIMBRE_WIDTH = STYLE_WIDTH / 2

export function styleClassOf(tokens: number): number {
  const index = STYLE_CLASSES.findIndex((styleClass) => tokens <= styleClass.tokensMax)
  return index === -1 ? STYLE_CLASSES.length - 1 : index
}
