import { InvalidArgumentError } from 'commander'

/** Parsers of option values. Commander names the option; these name the rule. */
export function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('It must be a whole number.')
  }
  return value
}

/** A limit, or the word that says there is none. */
export interface Limit {
  readonly limit: number | null
}

/** Commander takes a parser's null for "no value given", hence the object. */
export function limitOr(word: string): (text: string) => Limit {
  return (text) => {
    if (text === word) return { limit: null }
    if (/^\d+$/.test(text)) return { limit: wholeNumber(text) }
    throw new InvalidArgumentError(`It must be a whole number or "${word}".`)
  }
}

/** Milliseconds since the epoch. A time without a zone is refused: it would mean something else on another machine. */
export function isoTime(text: string): number {
  const value = ISO.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(value)) {
    throw new InvalidArgumentError('It must be an ISO 8601 date, or date and time with a zone: 2026-01-31T12:00:00Z.')
  }
  return value
}

export function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('It must be JSON.')
  }
}

export function oneOf<const T extends string>(...choices: T[]): (text: string) => T {
  return (text) => {
    const choice = choices.find((each) => each === text)
    if (choice === undefined) throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`)
    return choice
  }
}

/** Comma-separated words, each one of the choices. */
export function listOf<const T extends string>(...choices: T[]): (text: string) => T[] {
  const word = oneOf(...choices)
  return (text) => text.split(',').map((part) => word(part.trim()))
}

const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/
