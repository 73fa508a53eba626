import type { SpokenWord } from '../../client/client.ts'
import { create } from './dom.ts'

/** The text that is being spoken, with the word that is heard marked once its times are known. */
export class SpokenText {
  readonly #element: HTMLElement
  #words: { readonly start: number; readonly end: number; readonly element: HTMLElement }[] = []

  constructor(element: HTMLElement) {
    this.#element = element
  }

  /** Until its times are known nothing is marked, and the text stands in its field anyway. */
  clear(): void {
    this.#words = []
    this.#element.replaceChildren()
  }

  show(text: string, words: readonly SpokenWord[]): void {
    this.clear()
    let from = 0
    for (const { word, start_ms, end_ms } of words) {
      const at = text.indexOf(word, from)
      if (at === -1) continue
      const element = create('span', word)
      this.#element.append(text.slice(from, at), element)
      this.#words.push({ start: start_ms / 1_000, end: end_ms / 1_000, element })
      from = at + word.length
    }
    this.#element.append(text.slice(from))
  }

  /** Marks the word heard at this second. */
  set position(seconds: number) {
    for (const { start, end, element } of this.#words) {
      const isHeard = seconds >= start && seconds < end
      const isMarked = element.firstElementChild !== null
      if (isHeard === isMarked) continue
      const text = element.textContent ?? ''
      element.replaceChildren(isHeard ? create('mark', text) : text)
    }
  }
}
