/** Stretch of a text: [start, end) in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * A text on its way through rewritings that remembers, for every unit, which stretch of the text as written it stands for:
 *
 *   written  It costs $12.50.
 *   text     It costs 12 dollars and 50 cents.
 *            ││ │││││ └────────┬───────────┘└ .
 *            ││ │││││        $12.50
 *
 * Immutable. What a rewriting keeps at the edges of a match keeps its own place; the rest stands for the whole match.
 */
export class TracedText {
  readonly text: string
  readonly #starts: Int32Array
  readonly #ends: Int32Array

  /** `from`: where `text` lies in the text that spans are counted in. */
  static of(text: string, from = 0): TracedText {
    const starts = Int32Array.from({ length: text.length }, (_, index) => from + index)
    return new TracedText(
      text,
      starts,
      starts.map((start) => start + 1),
    )
  }

  private constructor(text: string, starts: Int32Array, ends: Int32Array) {
    this.text = text
    this.#starts = starts
    this.#ends = ends
  }

  /** As `String.replace` with a global pattern; `say` gets the match and its groups. */
  replace(pattern: RegExp, say: string | ((...groups: readonly (string | undefined)[]) => string)): TracedText {
    let text = ''
    let from = 0
    const starts: number[] = []
    const ends: number[] = []
    const keep = (to: number) => {
      for (; from < to; from++) {
        starts.push(this.#starts[from] ?? 0)
        ends.push(this.#ends[from] ?? 0)
      }
    }
    for (const match of this.text.matchAll(pattern)) {
      const written = match[0]
      const said = typeof say === 'string' ? say : say(...match)
      if (said === written) continue
      const [head, tail] = sameEdges(written, said)
      text += this.text.slice(from, match.index) + said
      keep(match.index + head)
      const matchEnd = match.index + written.length
      const { start, end } = this.spanOf(match.index + head, Math.max(matchEnd - tail, match.index + head + 1))
      for (let unit = head; unit < said.length - tail; unit++) {
        starts.push(start)
        ends.push(end)
      }
      from = matchEnd - tail
      keep(matchEnd)
    }
    if (from === 0 && starts.length === 0) return this
    text += this.text.slice(from)
    keep(this.text.length)
    return new TracedText(text, Int32Array.from(starts), Int32Array.from(ends))
  }

  slice(from: number, to: number): TracedText {
    return new TracedText(this.text.slice(from, to), this.#starts.slice(from, to), this.#ends.slice(from, to))
  }

  trim(): TracedText {
    const from = this.text.length - this.text.trimStart().length
    return this.slice(from, Math.max(from, this.text.trimEnd().length))
  }

  /** What was written where `text` now has [from, to). */
  spanOf(from: number, to: number): Span {
    const last = Math.min(to, this.text.length) - 1
    let start = this.#starts[from] ?? this.#ends.at(-1) ?? 0
    let end = start
    for (let unit = from; unit <= last; unit++) {
      start = Math.min(start, this.#starts[unit] ?? start)
      end = Math.max(end, this.#ends[unit] ?? end)
    }
    return { start, end }
  }
}

/** Units that both begin with and both end with; whole words only, so that a figure isn't taken apart from its sign. */
function sameEdges(written: string, said: string): readonly [head: number, tail: number] {
  const most = Math.min(written.length, said.length)
  let head = 0
  while (head < most && written.charAt(head) === said.charAt(head)) head += 1
  while (head > 0 && !/\s/.test(written.charAt(head - 1))) head -= 1
  let tail = 0
  while (tail < most - head && written.at(-1 - tail) === said.at(-1 - tail)) tail += 1
  while (tail > 0 && !/\s/.test(written.charAt(written.length - tail))) tail -= 1
  return [head, tail]
}
