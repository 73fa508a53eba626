import { STREAM_BUFFER_BYTES_MAX } from '../limits.ts'
import { whenAborted } from './abort-signals.ts'
import type { FrameSink } from './exchange.ts'

/** A response of JSON lines that waits for its reader. */
export class LineSink {
  readonly #sink: FrameSink
  #wake: () => void = () => {}

  constructor(sink: FrameSink) {
    this.#sink = sink
    sink.onDrain(() => this.#wake())
    whenAborted(sink.closed, () => this.#wake())
  }

  /** Resolves when the reader has room for another line, or is gone. */
  async write(line: object): Promise<void> {
    this.#sink.write(`${JSON.stringify(line)}\n`)
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
