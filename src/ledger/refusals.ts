/** An option that breaks a rule, refused before anything is written. */
export class InvalidOption extends Error {
  /** Name of the option, in camel case. */
  readonly option: string
  readonly rule: string

  constructor(option: string, rule: string) {
    super(`${option} ${rule}`)
    this.option = option
    this.rule = rule
  }
}

export class NotFound extends Error {
  constructor(kind: 'account' | 'key', id: string) {
    super(`There is no ${kind} ${id}`)
  }
}

export function requireWholeNumber(option: string, value: number, min: number, max = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return
  const bound = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw new InvalidOption(option, `must be a whole number ${bound}`)
}

export function requireName(name: string): void {
  if (name.trim() === '') throw new InvalidOption('name', 'must not be empty')
  if (name.length > NAME_LENGTH_MAX) throw new InvalidOption('name', `must be at most ${NAME_LENGTH_MAX} characters`)
}

const NAME_LENGTH_MAX = 200
