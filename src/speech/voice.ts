/** A voice as requests name it. */
export interface Voice {
  /** `preset_<name>` for the model's own voices, `voice_<id>` for enrolled ones. */
  readonly id: string
  /** Name of the model's own voice whose style it speaks with; null for an enrolled voice, which has features instead. */
  readonly model: string | null
  readonly name: string
  /** Account that enrolled it; null for preset voices. */
  readonly accountId: string | null
  /** Catalog code of the language it was made for. */
  readonly language: string
  readonly british: boolean
  readonly gender: 'male' | 'female' | 'other'
}

export interface VoiceDirectory {
  find(voiceId: string): Voice | undefined
}
