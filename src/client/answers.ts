/** Lifetime figures of a key, in characters. */
export interface KeyCredit {
  /** null: the key has no ceiling of its own. */
  readonly credit_limit: number | null
  readonly credit_used: number
  readonly credit_remaining: number | null
}

export interface KeyUsage extends KeyCredit {
  readonly kind: 'tts' | 'admin'
  readonly name: string
  readonly last_four: string
  readonly credit_source: 'key' | 'account'
  /** Of a voice key: what may still be spent, the account's quota considered. */
  readonly spendable?: number
}

/** An account key is told its own figures only; a voice key those of its account too. */
export interface Usage {
  readonly environment: string
  readonly limit?: number
  readonly used?: number
  readonly remaining?: number
  readonly unlimited?: boolean
  readonly reset_date?: string
  readonly reset_interval?: string
  readonly reset_interval_count?: number
  readonly key: KeyUsage
}

export interface KeyEntry extends KeyCredit {
  readonly id: string
  readonly kind: 'admin' | 'tts' | 'stt'
  readonly name: string
  readonly prefix: string
  readonly last_four: string
  readonly scopes: readonly string[]
  readonly status: 'active' | 'revoked' | 'expired' | 'inactive'
  /** Of a voice key. */
  readonly voice_id?: string
  readonly created_at: string
  readonly last_used_at: string | null
  readonly expires_at: string | null
}

export interface KeyList {
  readonly admin: readonly KeyEntry[]
  readonly tts: readonly KeyEntry[]
  readonly stt: readonly KeyEntry[]
}

/** What `generate` answers with. */
export interface Generation {
  readonly success: true
  readonly request_id: string
  readonly voice_id: string
  /** Where the file lies for a day; needs no key. */
  readonly audio_url: string
  readonly text: string
  readonly duration: number | null
  readonly status: 'completed'
  readonly chars_deducted: number
}
