/** The words of a recording or a session as one text, grown segment by segment. */
export class GrowingTranscript {
  #text = ''
  readonly #charactersOf = new Map<string, number>()

  get text(): string {
    return this.#text
  }

  /** The language that most of the text is in; undefined while there is none. */
  get language(): string | undefined {
    const [most] = [...this.#charactersOf].sort(([, a], [, b]) => b - a)
    return most?.[0]
  }

  /** Characters (UTF-16 units) by which this segment would make the text longer: its own, and a space in front. */
  growthBy(text: string, language: string): number {
    return text === '' ? 0 : text.length + this.#gapBefore(language).length
  }

  /** What the text would be with this segment, which is not appended. */
  joined(text: string, language: string): string {
    return text === '' ? this.#text : this.#text + this.#gapBefore(language) + text
  }

  /** `text` without white space at its ends; an empty one changes nothing. */
  append(text: string, language: string): void {
    if (text === '') return
    this.#text += this.#gapBefore(language) + text
    this.#charactersOf.set(language, (this.#charactersOf.get(language) ?? 0) + text.length)
  }

  #gapBefore(language: string): string {
    return this.#text !== '' && isWrittenWithSpaces(language) ? ' ' : ''
  }
}

/** Whether words of this language have spaces between them. */
export function isWrittenWithSpaces(language: string): boolean {
  return !WRITTEN_WITHOUT_SPACES.has(language)
}

const WRITTEN_WITHOUT_SPACES: ReadonlySet<string> = new Set(['zh', 'ja', 'th'])
