import type { SyrinxClient } from '../../client/client.ts'
import { fillGroups } from './choices.ts'
import { facts, type PresetVoice } from './facts.ts'
import type { Session } from './session.ts'

export interface ChosenVoice {
  readonly client: SyrinxClient
  /** Undefined: the one of the voice key. */
  readonly voice_id: string | undefined
}

const OF_VOICE_KEY = 'voice-key'

/** The voices that the keys at hand may speak with: a voice key's own; with an account key the model's and those of its voice keys. */
export class VoiceChoice {
  readonly #session: Session
  readonly #select: HTMLSelectElement

  constructor(session: Session, select: HTMLSelectElement) {
    this.#session = session
    this.#select = select
    session.addEventListener('change', () => this.#fill())
    this.#fill()
  }

  /** Throws where no key speaks. */
  get chosen(): ChosenVoice {
    const isOwn = this.#select.value === OF_VOICE_KEY
    const client = this.#session.client(isOwn ? 'voice' : 'admin')
    if (client === undefined) throw new Error('to speak, add a voice key or an account key.')
    return { client, voice_id: isOwn ? undefined : this.#select.value }
  }

  #fill(): void {
    const hasAccountKey = this.#session.client('admin') !== undefined
    fillGroups(this.#select, [
      { label: 'Voice key', options: this.#ofVoiceKey() },
      { label: 'Enrolled', options: this.#enrolled() },
      ...(hasAccountKey ? presets() : []),
    ])
    if (this.#select.options.length === 0) this.#select.append(new Option('needs a key', ''))
  }

  #ofVoiceKey(): HTMLOptionElement[] {
    const key = this.#session.keys.find(({ kind }) => kind === 'voice')
    return key === undefined
      ? []
      : [new Option(key.usage?.key.name ?? `of the key …${key.text.slice(-4)}`, OF_VOICE_KEY)]
  }

  #enrolled(): HTMLOptionElement[] {
    const names = new Map(this.#session.voiceKeys.map(({ voice_id = '', name }) => [voice_id, name]))
    return [...names].filter(([id]) => !PRESET_IDS.has(id)).map(([id, name]) => new Option(name, id))
  }
}

const PRESET_IDS = new Set(facts.voices.map(({ id }) => id))

/** The model's voices, by the language they were made for. */
function presets(): { label: string; options: HTMLOptionElement[] }[] {
  return facts.languages.map(({ code, name }) => ({
    label: name,
    options: facts.voices
      .filter(({ language }) => language === code)
      .map((voice) => new Option(labelOf(voice), voice.id)),
  }))
}

function labelOf({ id, name, gender }: PresetVoice): string {
  const accent = id.startsWith('preset_b') ? ', British' : id.startsWith('preset_a') ? ', American' : ''
  return `${name} (${gender}${accent})`
}
