import { element } from './dom.ts'

/** A voice of the model. */
export interface PresetVoice {
  readonly id: string
  readonly name: string
  readonly language: string
  readonly gender: string
}

export interface NamedCode {
  readonly code: string
  readonly name: string
}

interface Facts {
  readonly voices: readonly PresetVoice[]
  readonly languages: readonly NamedCode[]
  readonly modes: readonly NamedCode[]
  readonly wsUrl?: string
}

/** What the node says of itself in the page. */
export const facts: Facts = JSON.parse(element('facts', HTMLScriptElement).text)
