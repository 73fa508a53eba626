import type { Playback } from '../../client/browser.ts'
import { type Speech, wavFile } from '../../client/client.ts'
import { downloadLink, element, withdrawLinks } from './dom.ts'
import { moment } from './moment.ts'
import { SpokenText } from './spoken-text.ts'
import { Waveform } from './waveform.ts'

/** What is seen of a speech: its waveform, its words, how soon it came and whether it was whole. */
export class SpeechView {
  readonly #place = element('speech', HTMLDivElement)
  readonly #figures = element('speak-figures', HTMLParagraphElement)
  /** What a screen reader is told: not each figure. */
  readonly #status = element('speak-status', HTMLParagraphElement)
  readonly #results = element('speak-results', HTMLParagraphElement)
  readonly #waveform = new Waveform(element('speak-waveform', HTMLCanvasElement))
  readonly #spoken = new SpokenText(element('speak-words', HTMLParagraphElement))
  #text = ''
  #askedAt = 0
  #firstAudioMs: number | undefined
  #chunks: Int16Array[] = []
  #received = 0
  #areWordsShown = false

  /** The text is on its way. */
  ask(text: string): void {
    this.#text = text
    this.#askedAt = moment()
    this.#firstAudioMs = undefined
    this.#chunks = []
    this.#received = 0
    this.#areWordsShown = false
    this.#place.hidden = false
    this.#figures.textContent = 'Asking …'
    this.#status.textContent = ''
    this.#spoken.clear()
    withdrawLinks(this.#results)
  }

  begin({ sampleRate }: Speech): void {
    this.#waveform.clear(sampleRate)
    // For good, where there is no device to hear it with.
    this.#figures.textContent = 'Waiting for the browser’s sound …'
    this.#status.textContent = 'Speaking'
  }

  add(samples: Int16Array): void {
    this.#firstAudioMs ??= moment() - this.#askedAt
    this.#received += samples.length
    this.#chunks.push(samples.slice())
    this.#waveform.add(samples)
  }

  /** Some of it has been heard. */
  update(speech: Speech, { status, position }: Playback): void {
    if (speech.end !== undefined && !this.#areWordsShown) {
      this.#areWordsShown = true
      this.#spoken.show(this.#text, speech.end.words)
    }
    this.#waveform.position = position
    this.#spoken.position = position
    const first = this.#firstAudioMs === undefined ? '' : `First audio after ${Math.round(this.#firstAudioMs)} ms · `
    const total = `${(this.#received / speech.sampleRate).toFixed(1)} s${speech.end === undefined ? ' so far' : ''}`
    const gaps = status.underruns === 0 ? 'no gaps' : `${status.underruns} ${status.underruns === 1 ? 'gap' : 'gaps'}`
    this.#figures.textContent = `${first}heard ${position.toFixed(1)} of ${total} · ${gaps}`
    // To the sample, for whoever looks closer.
    Object.assign(this.#place.dataset, { received: this.#received, played: status.played, gaps: status.underruns })
  }

  finish({ end, sampleRate }: Speech): void {
    this.#status.textContent = end === undefined ? 'Stopped' : 'Spoken to the end'
    if (end === undefined) return
    const file = wavFile(this.#chunks, sampleRate)
    this.#results.replaceChildren(downloadLink('Download WAV', 'syrinx.wav', file))
  }

  fail(): void {
    this.#figures.textContent = ''
    this.#status.textContent = ''
    if (this.#received === 0) this.#place.hidden = true
  }
}
