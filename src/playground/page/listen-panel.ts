import { Microphone } from '../../client/browser.ts'
import type { LiveEvent, LiveTranscription } from '../../client/client.ts'
import { fillLanguages } from './choices.ts'
import { create, element } from './dom.ts'
import { facts } from './facts.ts'
import { LevelHistory } from './level-history.ts'
import { problemOf } from './problem.ts'
import type { Session } from './session.ts'
import { clockTime } from './times.ts'

/** A microphone, written down while somebody speaks. */
export class ListenPanel {
  readonly #session: Session
  readonly #language = element('listen-language', HTMLSelectElement)
  readonly #mode = element('listen-mode', HTMLSelectElement)
  readonly #button = element('listen-button', HTMLButtonElement)
  readonly #commit = element('listen-commit', HTMLButtonElement)
  readonly #activity = element('listen-activity', HTMLSpanElement)
  readonly #problem = element('listen-problem', HTMLParagraphElement)
  readonly #segments = element('listen-segments', HTMLDivElement)
  readonly #partial = element('listen-partial', HTMLParagraphElement)
  readonly #levels = new LevelHistory(element('listen-levels', HTMLCanvasElement))
  /** Ends what goes on; undefined where nothing does. */
  #stop: (() => void) | undefined
  #transcription: LiveTranscription | undefined

  constructor(session: Session) {
    this.#session = session
    fillLanguages(this.#language, facts.modes)
    element('listen-form', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault()
      if (this.#stop === undefined) void this.#listen()
      else this.#stop()
    })
    this.#commit.addEventListener('click', () => this.#transcription?.commit())
  }

  async #listen(): Promise<void> {
    this.#problem.textContent = ''
    this.#segments.replaceChildren()
    this.#levels.clear()
    const opening = new AbortController()
    const { signal } = opening
    this.#setStop(() => opening.abort())
    let microphone: Microphone | undefined
    try {
      const client = this.#session.client('stt')
      if (client === undefined) throw new Error('to listen, add a speech-to-text key.')
      // The browser may ask the user first, for as long as they like.
      this.#activity.textContent = 'Waiting for the microphone'
      microphone = await Microphone.open({ signal, onLevel: (level) => this.#levels.add(level) })
      const mode = this.#mode.value === 'manual' ? 'manual' : 'auto'
      const language = this.#language.value
      const { sampleRate: sample_rate } = microphone
      const transcription = await client.listen({ audio: microphone, sample_rate, mode, language, signal })
      this.#setStop(() => microphone?.stop())
      this.#begin(transcription, mode)
      for await (const event of transcription) this.#show(event, mode)
    } catch (error) {
      this.#problem.textContent = problemOf(error) ?? ''
    } finally {
      microphone?.stop()
      this.#setStop(undefined)
      this.#end()
      await this.#session.refresh()
    }
  }

  #show(event: LiveEvent, mode: 'auto' | 'manual'): void {
    // An empty one takes back what was no speech after all.
    const isSpeech = event.type === 'partial' && event.text !== ''
    this.#activity.textContent = isSpeech ? 'Hearing speech' : 'Silence'
    this.#partial.textContent = isSpeech ? event.text : ''
    if (event.type === 'partial') {
      this.#levels.speech(event.index, event.start, isSpeech ? event.end : event.start)
      return
    }
    // The one `final` of the automatic mode repeats its segments.
    if (event.type === 'final' && mode === 'auto') return
    this.#levels.speech(event.index, event.start, event.end)
    if (event.text === '') return
    const paragraph = create('p')
    paragraph.append(create('time', clockTime(event.start)), event.text)
    this.#segments.append(paragraph)
  }

  /** What the button does from now on; undefined: it starts. */
  #setStop(stop: (() => void) | undefined): void {
    this.#stop = stop
    this.#button.textContent = stop === undefined ? 'Start listening' : 'Stop'
  }

  #begin(transcription: LiveTranscription, mode: 'auto' | 'manual'): void {
    this.#transcription = transcription
    this.#commit.disabled = mode === 'auto'
    this.#activity.textContent = 'Listening'
  }

  #end(): void {
    this.#transcription = undefined
    this.#commit.disabled = true
    this.#activity.textContent = ''
    this.#partial.textContent = ''
  }
}
