/** Parses newline-delimited JSON that arrives in pieces cut anywhere. Throws `SyntaxError` for a line that is no JSON. */
export class JsonLineParser {
  #line = ''

  /** The values whose lines this piece completes. */
  push(text: string): unknown[] {
    const lines = (this.#line + text).split('\n')
    this.#line = lines.pop() ?? ''
    return lines.flatMap(parsed)
  }

  /** The last line, where no newline ended it. */
  end(): unknown[] {
    const line = this.#line
    this.#line = ''
    return parsed(line)
  }
}

/** None for an empty line. */
function parsed(line: string): unknown[] {
  return line.trim() === '' ? [] : [JSON.parse(line)]
}
