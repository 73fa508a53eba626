import { type Playback, Player } from '../../client/browser.ts'
import { fillLanguages } from './choices.ts'
import { element } from './dom.ts'
import { facts } from './facts.ts'
import { problemOf } from './problem.ts'
import type { Session } from './session.ts'
import { SpeechView } from './speech-view.ts'
import { VoiceChoice } from './voice-choice.ts'

/** A text, heard while it is made. */
export class SpeakPanel {
  readonly #session: Session
  readonly #text = element('speak-text', HTMLTextAreaElement)
  readonly #voice: VoiceChoice
  readonly #language = element('speak-language', HTMLSelectElement)
  readonly #speed = element('speak-speed', HTMLInputElement)
  readonly #pause = element('speak-pause', HTMLButtonElement)
  readonly #stop = element('speak-stop', HTMLButtonElement)
  readonly #problem = element('speak-problem', HTMLParagraphElement)
  readonly #view = new SpeechView()
  #player: Player | undefined
  #playback: Playback | undefined
  #running: AbortController | undefined

  constructor(session: Session) {
    this.#session = session
    this.#voice = new VoiceChoice(session, element('speak-voice', HTMLSelectElement))
    fillLanguages(this.#language, facts.languages)
    const form = element('speak-form', HTMLFormElement)
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#speak()
    })
    this.#text.addEventListener('input', () => this.#count())
    this.#text.addEventListener('keydown', ({ key, ctrlKey, metaKey }) => {
      if (key === 'Enter' && (ctrlKey || metaKey)) form.requestSubmit()
    })
    const speedValue = element('speak-speed-value', HTMLOutputElement)
    this.#speed.addEventListener('input', () => {
      speedValue.value = this.#speed.valueAsNumber.toFixed(2)
    })
    this.#pause.addEventListener('click', () => this.#setPaused(this.#pause.ariaPressed !== 'true'))
    this.#stop.addEventListener('click', () => this.#running?.abort())
    this.#count()
  }

  async #speak(): Promise<void> {
    this.#running?.abort()
    const running = new AbortController()
    this.#running = running
    this.#problem.textContent = ''
    this.#setBusy(true)
    try {
      await this.#hear(this.#text.value, running)
    } catch (error) {
      // A speech that nobody will hear, because the browser has no sound, must not go on.
      running.abort()
      if (this.#running === running) this.#view.fail()
      this.#problem.textContent = problemOf(error) ?? ''
    }
    if (this.#running === running) this.#setBusy(false)
    await this.#session.refresh()
  }

  async #hear(text: string, running: AbortController): Promise<void> {
    const { signal } = running
    const { client, voice_id } = this.#voice.chosen
    this.#view.ask(text)
    // The player is opened while the click is handled, and while the text is on its way.
    const [player, speech] = await Promise.all([
      this.#player ?? Player.open(),
      client.speak(text, {
        signal,
        language: this.#language.value,
        speed: this.#speed.valueAsNumber,
        timestamps: true,
        ...(voice_id !== undefined && { voice_id }),
      }),
    ])
    this.#player = player
    this.#view.begin(speech)
    const playback = player.play(speech, {
      signal,
      onSamples: (samples) => this.#view.add(samples),
      onStatus: () => {
        if (this.#running === running) this.#view.update(speech, playback)
      },
    })
    this.#playback = playback
    await playback.ended
    if (this.#running === running) this.#view.finish(speech)
  }

  #setBusy(isBusy: boolean): void {
    this.#stop.disabled = !isBusy
    this.#pause.disabled = !isBusy
    this.#setPaused(false)
  }

  #setPaused(isPaused: boolean): void {
    this.#pause.ariaPressed = String(isPaused)
    this.#pause.textContent = isPaused ? 'Go on' : 'Pause'
    if (isPaused) this.#playback?.pause()
    else this.#playback?.resume()
  }

  #count(): void {
    const { length } = this.#text.value
    element('speak-count', HTMLSpanElement).textContent = `${length.toLocaleString('en')} of 5,000 characters`
  }
}
