/** A canvas to draw on in CSS pixels, sharp on any screen, with the colours its style gives it. */
export class Drawing {
  readonly #canvas: HTMLCanvasElement
  readonly #context: CanvasRenderingContext2D

  /** `draw` is called whenever the canvas has changed its size or colours. */
  constructor(canvas: HTMLCanvasElement, draw: () => void) {
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('this browser has no canvas')
    this.#canvas = canvas
    this.#context = context
    new ResizeObserver(draw).observe(canvas)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
  }

  /** Draws bars of 2 px, 3 px apart, around the middle: heights 0 to 1, and whether each is marked. */
  bars(heights: readonly number[], isMarked: (index: number) => boolean): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas
    const scale = devicePixelRatio
    this.#canvas.width = width * scale
    this.#canvas.height = height * scale
    const context = this.#context
    context.scale(scale, scale)
    const { color, accentColor } = getComputedStyle(this.#canvas)
    for (const [i, value] of heights.entries()) {
      const bar = Math.max(2, value * (height - 8))
      context.fillStyle = isMarked(i) ? accentColor : color
      context.globalAlpha = isMarked(i) ? 1 : 0.45
      context.fillRect(i * BAR_PITCH, (height - bar) / 2, BAR_WIDTH, bar)
    }
  }

  /** Bars that fit. */
  get capacity(): number {
    return Math.max(1, Math.floor(this.#canvas.clientWidth / BAR_PITCH))
  }
}

const BAR_PITCH = 3
const BAR_WIDTH = 2
