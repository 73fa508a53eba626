import { STREAM_BUFFER_BYTES_MAX } from '../limits.ts'
import { whenAborted } from './abort-signals.ts'
import type { FrameSink } from './exchange.ts'

/** A response of JSON objects, a line each unless written otherwise, that waits for its reader. */
export class LineSink {
  readonly #sink: FrameSink
  readonly #encode: (line: object) => string
  #wake: () => void = () => {}

  constructor(sink: FrameSink, encode: (line: object) => string = (line) => `${JSON.stringify(line)}\n`) {
    this.#sink = sink
    this.#encode = encode
    sink.onDrain(() => this.#wake())
    whenAborted(sink.closed, () => this.#wake())
  }

  /** Resolves when the reader has room for another line, or is gone. */
  async write(line: object): Promise<void> {
    this.#sink.write(this.#encode(line))
    while (this.#sink.bufferedBytes >= STREAM_BUFFER_BYTES_MAX && !this.#sink.closed.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  end(): void {
    this.#sink.end()
  }
}
