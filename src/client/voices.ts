import { type AudioFile, appendFile } from './transcription.ts'
import type { Transport } from './transport.ts'

export interface Enrollment {
  /** Up to 10 MiB of one person speaking. */
  readonly file: AudioFile
  readonly name: string
  /** That the speaker has agreed. */
  readonly consent: true
  readonly description?: string
  readonly gender?: 'male' | 'female' | 'other'
  /** Name of the file; that of a `File` by default. */
  readonly file_name?: string
  readonly signal?: AbortSignal
}

export interface EnrolledVoice {
  readonly voice_id: string
  readonly name: string
  readonly status: string
  /** The same recording had been enrolled before. */
  readonly deduped: boolean
  readonly gender: string
  readonly description: string
  readonly file_name: string
  readonly file_size: number
  readonly created_at: string
  readonly key_status: 'created' | 'exists'
  /** The voice's key, shown this once; null where it has one already. */
  readonly api_key: { readonly key: string; readonly last_four: string; readonly scopes: readonly string[] } | null
}

export interface DeletedVoice {
  readonly voice_id: string
  readonly name: string
  readonly deleted: true
}

/** The account's own voices; needs an account key. */
export class Voices {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Makes a voice of a recording. Each attempt counts against the rate at which an account may enroll. */
  enroll({ file, name, consent, description, gender, file_name, signal }: Enrollment): Promise<EnrolledVoice> {
    const form = new FormData()
    form.append('name', name)
    form.append('consent', String(consent))
    if (description !== undefined) form.append('description', description)
    if (gender !== undefined) form.append('gender', gender)
    appendFile(form, 'file', file, file_name)
    return this.#transport.data({ method: 'POST', path: '/api/v1/voices', form, repetition: 'when_told', signal })
  }

  /** Deletes a voice with its key, for good. */
  delete(voiceId: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<DeletedVoice> {
    const path = `/api/v1/voices/${encodeURIComponent(voiceId)}`
    return this.#transport.data({ method: 'DELETE', path, repetition: 'when_told', signal })
  }
}
