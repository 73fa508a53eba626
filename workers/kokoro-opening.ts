import { WORD_SPACE } from '../models/kokoro/symbols.ts'

/** How many tokens, from the first, of what is spoken before the whole of it is planned. */
export interface Opening {
  /** Tokens that the opening is planned from. */
  readonly planned: number
  /** Tokens of them that are heard: those behind them are there so that the end of the plan isn't heard as the end of a sentence. */
  readonly heard: number
}

/** Planning fewer tokens at once takes no longer than an opening and the rest. */
const WHOLE_TOKENS_MAX = 44
/** About two seconds of speech. */
const PLANNED_TOKENS_MAX = 34
const PLANNED_TOKENS_MIN = 20
/** Of the planned tokens. The model looks ahead about as far as it speaks. */
const HEARD_SHARE = 0.62
/** About 0.7 s: enough for a first and a second window. */
const HEARD_TOKENS_MIN = 11

/** Where a text of these tokens is parted, both times behind a word. Undefined where it is short or has no place to part it. */
export function openingOf(ids: readonly number[]): Opening | undefined {
  if (ids.length <= WHOLE_TOKENS_MAX) return undefined
  const planned = wordEnd(ids, PLANNED_TOKENS_MAX, PLANNED_TOKENS_MIN)
  const heard = planned && wordEnd(ids, planned * HEARD_SHARE, HEARD_TOKENS_MIN)
  return planned && heard ? { planned, heard } : undefined
}

/** The last number of tokens in [min, max] that ends with a space. */
function wordEnd(ids: readonly number[], max: number, min: number): number | undefined {
  const last = ids.lastIndexOf(WORD_SPACE, Math.floor(max) - 1)
  return last + 1 >= min ? last + 1 : undefined
}
