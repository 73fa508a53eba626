import type { EnrolledVoice, KeyEntry, SyrinxClient } from '../../client/client.ts'
import { create, element } from './dom.ts'
import { facts } from './facts.ts'
import { problemOf } from './problem.ts'
import type { Session } from './session.ts'

/** Voices made of recordings. */
export class VoicesPanel {
  readonly #session: Session
  readonly #form = element('voice-form', HTMLFormElement)
  readonly #button = element('voice-button', HTMLButtonElement)
  readonly #status = element('voice-status', HTMLSpanElement)
  readonly #problem = element('voice-problem', HTMLParagraphElement)
  readonly #list = element('voice-list', HTMLUListElement)

  constructor(session: Session) {
    this.#session = session
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#attempt('Making the voice …', (client) => this.#enroll(client))
    })
    session.addEventListener('change', () => this.#showVoices())
    this.#showVoices()
  }

  async #enroll(client: SyrinxClient): Promise<string> {
    element('voice-result', HTMLDivElement).hidden = true
    const file = element('voice-file', HTMLInputElement).files?.[0]
    if (file === undefined) throw new Error('a recording is needed.')
    const description = element('voice-description', HTMLInputElement).value
    const voice = await client.voices.enroll({
      file,
      name: element('voice-name', HTMLInputElement).value,
      // The form is not sent without it.
      consent: true,
      gender: genderOf(element('voice-gender', HTMLSelectElement).value),
      ...(description !== '' && { description }),
    })
    this.#form.reset()
    this.#showKey(voice)
    return voice.deduped ? `${voice.name} was there already` : `${voice.name} is ready`
  }

  #showKey({ api_key }: EnrolledVoice): void {
    if (api_key === null) return
    element('voice-key', HTMLElement).textContent = api_key.key
    element('voice-result', HTMLDivElement).hidden = false
  }

  #showVoices(): void {
    const presets = new Set(facts.voices.map(({ id }) => id))
    const keys = this.#session.voiceKeys.filter(({ voice_id = '' }) => !presets.has(voice_id))
    const none = create('li', 'None yet. They show here for an account key that may list keys.', { className: 'hint' })
    this.#list.replaceChildren(...(keys.length === 0 ? [none] : keys.map((key) => this.#item(key))))
  }

  #item({ name, voice_id = '', last_four }: KeyEntry): HTMLLIElement {
    const remove = create('button', 'Delete', { type: 'button', ariaLabel: `Delete the voice ${name}` })
    remove.addEventListener('click', () => {
      if (!confirm(`Delete ${name} and its key for good?`)) return
      void this.#attempt('Deleting …', async (client) => `${(await client.voices.delete(voice_id)).name} is deleted`)
    })
    const item = create('li')
    item.append(create('strong', name), create('code', voice_id), create('span', `key …${last_four}`), remove)
    return item
  }

  /** Does something with the account key and says how it went. */
  async #attempt(doing: string, action: (client: SyrinxClient) => Promise<string>): Promise<void> {
    this.#problem.textContent = ''
    this.#status.textContent = doing
    this.#button.disabled = true
    try {
      const client = this.#session.client('admin')
      if (client === undefined) throw new Error('to make or delete voices, add an account key.')
      this.#status.textContent = await action(client)
    } catch (error) {
      this.#status.textContent = ''
      this.#problem.textContent = problemOf(error) ?? ''
    }
    this.#button.disabled = false
    await this.#session.refresh()
  }
}

function genderOf(value: string): 'male' | 'female' | 'other' {
  return value === 'male' || value === 'other' ? value : 'female'
}
