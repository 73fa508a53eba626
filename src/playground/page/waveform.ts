import { Drawing } from './canvas.ts'

/** Peaks are kept of so many milliseconds each. */
const PEAK_MS = 10
/** Shorter speech does not fill the width, so that it does not shrink from the start. */
const SECONDS_SHOWN_MIN = 6

/** The waveform of one speech, drawn while it comes and while it is heard. */
export class Waveform {
  readonly #drawing: Drawing
  #peaks: number[] = []
  #peak = 0
  #inPeak = 0
  #samplesPerPeak = 1
  #position = 0

  constructor(canvas: HTMLCanvasElement) {
    this.#drawing = new Drawing(canvas, () => this.#draw())
  }

  clear(sampleRate: number): void {
    this.#peaks = []
    this.#peak = 0
    this.#inPeak = 0
    this.#samplesPerPeak = (sampleRate * PEAK_MS) / 1_000
    this.#position = 0
    this.#draw()
  }

  add(samples: Int16Array): void {
    for (const sample of samples) {
      this.#peak = Math.max(this.#peak, Math.abs(sample))
      if (++this.#inPeak < this.#samplesPerPeak) continue
      this.#peaks.push(this.#peak / 32_768)
      this.#peak = 0
      this.#inPeak = 0
    }
    this.#draw()
  }

  /** Marks what has been heard, in seconds. */
  set position(seconds: number) {
    this.#position = seconds
    this.#draw()
  }

  #draw(): void {
    const bars = this.#drawing.capacity
    const shown = Math.max(this.#peaks.length, (SECONDS_SHOWN_MIN * 1_000) / PEAK_MS)
    const perBar = shown / bars
    const heights = Array.from({ length: Math.min(bars, Math.ceil(this.#peaks.length / perBar)) }, (_, bar) =>
      Math.max(0, ...this.#peaks.slice(Math.floor(bar * perBar), Math.max(bar * perBar + 1, (bar + 1) * perBar))),
    )
    const heard = (this.#position * 1_000) / PEAK_MS / perBar
    this.#drawing.bars(heights, (bar) => bar < heard)
  }
}
