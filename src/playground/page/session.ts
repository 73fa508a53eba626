import { type KeyEntry, type KeyUsage, SyrinxClient, SyrinxError, type Usage } from '../../client/client.ts'
import { facts } from './facts.ts'

export type KeyKind = 'admin' | 'voice' | 'stt'

export interface HeldKey {
  readonly kind: KeyKind
  readonly text: string
  /** What it may still spend, as far as is known. */
  readonly usage: Usage | undefined
  readonly credit: Pick<KeyUsage, 'credit_limit' | 'credit_used' | 'credit_remaining'> | undefined
}

const PREFIXES: Readonly<Record<KeyKind, string>> = { admin: 'vc_ak_live_', voice: 'vc_sk_live_', stt: 'stt_sk_live_' }
const KINDS: readonly KeyKind[] = ['admin', 'voice', 'stt']
const STORED = 'syrinx-keys'

/** The keys of this tab, one of each kind at most, and what is known of them. Tells of changes by the event `change`. */
export class Session extends EventTarget {
  readonly #storage: Storage
  readonly #baseUrl: string
  readonly #keys = new Map<KeyKind, HeldKey>()
  #voiceKeys: readonly KeyEntry[] = []

  constructor(storage: Storage, baseUrl: string) {
    super()
    this.#storage = storage
    this.#baseUrl = baseUrl
    this.#hold(storage.getItem(STORED) ?? '')
  }

  get keys(): readonly HeldKey[] {
    return KINDS.flatMap((kind) => this.#keys.get(kind) ?? [])
  }

  /** Voice keys that the account key reaches, each with its voice. */
  get voiceKeys(): readonly KeyEntry[] {
    return this.#voiceKeys
  }

  /** A caller with the key of this kind; undefined where there is none. */
  client(kind: KeyKind): SyrinxClient | undefined {
    const key = this.#keys.get(kind)
    if (key === undefined) return undefined
    const { wsUrl } = facts
    return new SyrinxClient({ baseUrl: this.#baseUrl, apiKey: key.text, ...(wsUrl !== undefined && { wsUrl }) })
  }

  /**
   * Takes every key found in a text; returns whether there was one. Rejects for the first that the node does not know, which is not kept.
   * Whether it knows a speech-to-text key shows when that is used: such a key may ask nothing else.
   */
  async add(text: string): Promise<boolean> {
    const before = new Set(this.keys.map((key) => key.text))
    const kinds = this.#hold(text)
    this.#store()
    for (const kind of kinds) {
      const key = this.#keys.get(kind)
      if (key !== undefined && kind !== 'stt' && !before.has(key.text)) await this.#check(kind)
    }
    void this.refresh()
    return kinds.length > 0
  }

  remove(kind: KeyKind): void {
    this.#keys.delete(kind)
    if (kind === 'admin') this.#voiceKeys = []
    this.#store()
    this.#tell()
  }

  /** Asks what is left. Failures leave what was known: whatever comes next will tell of them. */
  async refresh(): Promise<void> {
    this.#tell()
    await Promise.allSettled([this.#askUsage('voice'), this.#askUsage('admin'), this.#askKeys()])
    this.#tell()
  }

  #hold(text: string): readonly KeyKind[] {
    return KINDS.filter((kind) => {
      const found = new RegExp(`${PREFIXES[kind]}[0-9A-Za-z]{43}`).exec(text)?.[0]
      if (found !== undefined) this.#keys.set(kind, { kind, text: found, usage: undefined, credit: undefined })
      return found !== undefined
    })
  }

  /** A key that may not ask for its usage is known, too: it is refused otherwise than an unknown one. */
  async #check(kind: KeyKind): Promise<void> {
    try {
      await this.client(kind)?.usage()
    } catch (error) {
      if (!(error instanceof SyrinxError) || error.status !== 401) return
      this.remove(kind)
      throw error
    }
  }

  async #askUsage(kind: 'admin' | 'voice'): Promise<void> {
    const usage = await this.client(kind)?.usage()
    const key = this.#keys.get(kind)
    if (usage !== undefined && key !== undefined) this.#keys.set(kind, { ...key, usage, credit: usage.key })
  }

  async #askKeys(): Promise<void> {
    const list = await this.client('admin')?.keys()
    this.#voiceKeys = list?.tts.filter(({ status }) => status === 'active') ?? []
    const key = this.#keys.get('stt')
    const entry = list?.stt.find(({ last_four }) => key?.text.endsWith(last_four))
    if (key !== undefined && entry !== undefined) this.#keys.set('stt', { ...key, credit: entry })
  }

  #store(): void {
    this.#storage.setItem(STORED, this.keys.map(({ text }) => text).join(' '))
  }

  #tell(): void {
    this.dispatchEvent(new Event('change'))
  }
}
