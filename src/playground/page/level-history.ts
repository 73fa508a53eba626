import { Drawing } from './canvas.ts'

/** The microphone hands on so many levels a second. */
const LEVELS_PER_SECOND = 25
/** Levels below this are drawn as nothing. */
const QUIETEST_DB = -60

/** The last seconds of a microphone's level, with what the service took for speech marked. */
export class LevelHistory {
  readonly #drawing: Drawing
  #levels: number[] = []
  /** By index of the segment, in seconds. */
  readonly #speech = new Map<number, { readonly start: number; readonly end: number }>()

  constructor(canvas: HTMLCanvasElement) {
    this.#drawing = new Drawing(canvas, () => this.#draw())
  }

  clear(): void {
    this.#levels = []
    this.#speech.clear()
    this.#draw()
  }

  /** The next 40 ms: root mean square, 0 to 1. */
  add(level: number): void {
    this.#levels.push(Math.max(0, 1 - (20 * Math.log10(Math.max(level, 1e-6))) / QUIETEST_DB))
    this.#draw()
  }

  /** Speech was heard there, in seconds from the first level. */
  speech(index: number, start: number, end: number): void {
    this.#speech.set(index, { start, end })
    this.#draw()
  }

  #draw(): void {
    const first = Math.max(0, this.#levels.length - this.#drawing.capacity)
    const spans = [...this.#speech.values()]
    this.#drawing.bars(this.#levels.slice(first), (bar) => {
      const seconds = (first + bar) / LEVELS_PER_SECOND
      return spans.some(({ start, end }) => seconds >= start && seconds < end)
    })
  }
}
