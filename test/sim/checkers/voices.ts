import { createHash } from 'node:crypto'
import { stateOfFeatures } from '../../../src/inference/voice-sound.ts'
import type { ApiKey, EnrolledVoice } from '../../../src/ledger/ledger.ts'
import { enrollments, keys, voices } from '../../../src/ledger/tables.ts'
import { ENROLLMENTS_PER_MINUTE_MAX, VOICES_PER_ACCOUNT_MAX } from '../../../src/limits.ts'
import type { Connection } from '../connection.ts'
import { ENROLLED } from '../node.ts'
import type { Written } from '../simulated-lmdb.ts'
import type { World } from '../world.ts'

const MINUTE_MS = 60_000
/** Between a decision and its answer, at most. */
const ANSWER_MS = 10_000
const CHECKSUM_BYTES = 32

/** Somebody who brings a clip. */
export interface Enrollment {
  readonly id: string
  readonly accountId: string
  readonly sha256: string
}

interface Brought extends Enrollment {
  readonly since: number
}

interface Answer {
  readonly error?: { readonly code: string; readonly message: string }
  readonly data?: Readonly<Record<string, unknown>>
}

/**
 * The voices on disk: whole from their first moment to their last, each of a clip of its own and with a key, no more and no faster than an
 * account may have them; and whether what is said of them is true.
 */
export class Voices {
  readonly #world: World
  readonly #voices = new Map<string, EnrolledVoice>()
  readonly #deleted = new Set<string>()
  /** Since when. */
  readonly #rotten = new Map<string, number>()
  /** What was learnt of voices in the end. */
  readonly #refined = new Map<string, Buffer>()
  readonly #keys = new Map<string, ApiKey>()
  /** Of keys that are there or were, the voices. */
  readonly #bound = new Map<string, string>()
  readonly #begun = new Map<string, { readonly kept: readonly number[]; readonly all: number[] }>()
  readonly #enrollments = new Map<string, Brought>()
  readonly #refused = new Set<Enrollment>()
  /** When an account had all the voices it may have, last. */
  readonly #fullAt = new Map<string, number>()

  constructor(world: World) {
    this.#world = world
  }

  expect(enrollment: Enrollment): void {
    this.#enrollments.set(enrollment.id, { ...enrollment, since: this.#world.clock.monotonic() })
  }

  of(accountId: string): EnrolledVoice[] {
    return [...this.#voices.values()].filter((voice) => voice.accountId === accountId)
  }

  committed(written: readonly Written[]): void {
    for (const { table, key, bytes } of written) {
      if (table === enrollments.name && bytes) this.#begins(key, enrollments.codec.decode(bytes).times)
      if (table === keys.name) this.#keeps(key, bytes && keys.codec.decode(bytes))
      if (table === voices.name) this.#changes(key, bytes && voices.codec.decode(bytes))
    }
    this.#requireKeys()
  }

  /** Every voice is whole, and nothing lies beside them. */
  look(): void {
    for (const voice of this.#voices.values()) {
      this.#requireWhole(voice)
      this.#requireFinal(voice)
    }
    for (const path of this.#world.files.within(ENROLLED)) {
      if (!this.#voices.has(path.slice(ENROLLED.length + 1))) this.#world.fail(`${path} belongs to no voice`)
    }
  }

  /** At rest, where nothing has failed: of each voice there is what could be learnt. */
  requireRefined(): void {
    for (const { id } of this.#voices.values()) {
      if (!this.#refined.has(id) && !this.#rotten.has(id)) this.#world.fail(`${id} is a sketch still`)
    }
  }

  answered({ id, status, request, headers }: Connection, { error, data }: Answer): void {
    const enrollment = this.#enrollments.get(id)
    if (request.method === 'DELETE') this.#deletes(id, request.path.split('/').at(-1) ?? '', error)
    if (enrollment === undefined) return
    if (error !== undefined) this.#refuses(enrollment, error, headers['Retry-After'])
    else if (data !== undefined) this.#enrolls(enrollment, data, status)
  }

  /** The disk loses what was learnt of a voice. */
  rot({ id }: EnrolledVoice): void {
    this.#world.note(`${id} rots`)
    this.#world.files.files.delete(`${ENROLLED}/${id}/features`)
    this.#refined.delete(id)
    this.#rotten.set(id, this.#world.clock.monotonic())
  }

  /** The voice that a key speaks with is gone, where that is what is said of it. */
  requireGone(id: string, keyId: string): void {
    const voiceId = this.#bound.get(keyId) ?? ''
    if (this.#voices.has(voiceId) && !this.#rotten.has(voiceId))
      this.#world.fail(`${id} is told that its voice is gone`)
  }

  #begins(accountId: string, kept: readonly number[]): void {
    const { all, kept: before } = this.#begun.get(accountId) ?? { all: [], kept: [] }
    const known = [...before]
    for (const time of kept) {
      const at = known.indexOf(time)
      if (at === -1) all.push(time)
      else known.splice(at, 1)
    }
    this.#begun.set(accountId, { all, kept })
    const [sixBefore] = all.slice(-ENROLLMENTS_PER_MINUTE_MAX - 1)
    const isFast = all.length > ENROLLMENTS_PER_MINUTE_MAX && (all.at(-1) ?? 0) - (sixBefore ?? 0) < MINUTE_MS
    if (isFast && !this.#world.weather.wallClockJumps) this.#world.fail(`${accountId} enrolls too fast`)
  }

  #keeps(keyId: string, key: ApiKey | undefined): void {
    if (key === undefined) this.#keys.delete(keyId)
    else if (key.voiceId?.startsWith('voice_')) {
      this.#keys.set(keyId, key)
      this.#bound.set(keyId, key.voiceId)
    }
  }

  #changes(voiceId: string, voice: EnrolledVoice | undefined): void {
    this.#world.note(`${voiceId} is ${voice ? 'enrolled' : 'deleted'}`)
    if (voice === undefined) {
      const { accountId = '' } = this.#voices.get(voiceId) ?? {}
      if (this.of(accountId).length === VOICES_PER_ACCOUNT_MAX)
        this.#fullAt.set(accountId, this.#world.clock.monotonic())
      this.#voices.delete(voiceId)
      this.#deleted.add(voiceId)
      return
    }
    const others = this.of(voice.accountId)
    if (others.length >= VOICES_PER_ACCOUNT_MAX) this.#world.fail(`${voice.accountId} has too many voices`)
    if (others.some(({ sha256 }) => sha256 === voice.sha256)) this.#world.fail(`${voiceId} is a second one of its clip`)
    const brought = this.#of(voice)
    if (brought.length > 0 && brought.every((one) => this.#refused.has(one))) {
      this.#world.fail(`${voiceId} is enrolled after it was refused`)
    }
    this.#voices.set(voiceId, voice)
    if (others.length + 1 === VOICES_PER_ACCOUNT_MAX) this.#fullAt.set(voice.accountId, Number.POSITIVE_INFINITY)
    this.#requireWhole(voice)
  }

  #requireKeys(): void {
    const speaking = new Set([...this.#keys.values()].map(({ voiceId }) => voiceId))
    for (const voiceId of this.#voices.keys()) {
      if (!speaking.delete(voiceId)) this.#world.fail(`${voiceId} has no key`)
    }
    for (const voiceId of speaking) this.#world.fail(`a key is left of ${voiceId}, which is gone`)
  }

  #requireWhole(voice: EnrolledVoice): void {
    if (this.#isWhole(voice)) this.#rotten.delete(voice.id)
    else if (!this.#rotten.has(voice.id)) this.#world.fail(`${voice.id} is not whole`)
  }

  /** Once it is refined a voice never changes. */
  #requireFinal({ id }: EnrolledVoice): void {
    if (this.#rotten.has(id)) return
    const features = this.#bytesOf(`${ENROLLED}/${id}/features`).subarray(CHECKSUM_BYTES)
    const [before, now] = [this.#refined.get(id), digest(features)]
    if (before === undefined && stateOfFeatures(features) === 'refined') this.#refined.set(id, now)
    if (before !== undefined && !before.equals(now)) this.#world.fail(`${id} has changed again`)
  }

  #isWhole({ id, sha256 }: EnrolledVoice): boolean {
    const reference = this.#bytesOf(`${ENROLLED}/${id}/reference`)
    const features = this.#bytesOf(`${ENROLLED}/${id}/features`)
    const isLegible = digest(features.subarray(CHECKSUM_BYTES)).equals(features.subarray(0, CHECKSUM_BYTES))
    return isLegible && digest(reference).toString('hex') === sha256
  }

  #bytesOf(path: string): Uint8Array {
    const inode = this.#world.files.files.get(path)
    return inode ? inode.bytes.subarray(0, inode.length) : new Uint8Array(0)
  }

  #enrolls({ id, accountId, sha256, since }: Brought, data: Answer['data'] = {}, status = 0): void {
    const voiceId = String(data.voice_id)
    const voice = this.#voices.get(voiceId)
    if (voice === undefined && !this.#deleted.has(voiceId))
      this.#world.fail(`${id} is given ${voiceId}, which is not on disk`)
    if (voice && (voice.sha256 !== sha256 || voice.accountId !== accountId))
      this.#world.fail(`${id} is given another voice`)
    // What was learnt of it was lost before, and has just come in again.
    const isMended = (this.#rotten.get(voiceId) ?? Number.NEGATIVE_INFINITY) < since
    if (voice && isMended && !this.#isWhole(voice)) this.#world.fail(`${id} is given ${voiceId}, which is not whole`)
    const key = data.api_key as { readonly key: string } | null
    if ((status === 200) !== data.deduped || (key !== null) !== (data.key_status === 'created')) {
      this.#world.fail(`${id} is told ${status} ${data.deduped} ${data.key_status}`)
    }
    if (status === 201 && key === null) this.#world.fail(`${id} is given no key`)
    const bound = key && this.#world.node?.ledger.findKey(key.key)
    if (bound ? bound.voiceId !== voiceId : key && voice) this.#world.fail(`${id} is given a key of no use`)
  }

  #refuses(
    enrollment: Enrollment,
    { code, message }: { code: string; message: string },
    wait: string | undefined,
  ): void {
    const { id, accountId, sha256 } = enrollment
    const { machine, commits, diskFills, wallClockJumps } = this.#world.weather
    this.#refused.add(enrollment)
    const isAlone = this.#of(enrollment).length === 1
    const voice = this.of(accountId).find((one) => one.sha256 === sha256)
    if (isAlone && voice !== undefined) this.#world.fail(`${id} is refused, and ${voice.id} is there`)
    const fullAt = this.#fullAt.get(accountId) ?? Number.NEGATIVE_INFINITY
    if (code === 'VOICE_LIMIT_REACHED' && fullAt < this.#world.clock.monotonic() - ANSWER_MS) {
      this.#world.fail(`${id} is told ${code} of ${this.of(accountId).length} voices`)
    }
    const now = this.#world.clock.now()
    const recent = this.#begun.get(accountId)?.all.filter((time) => time > now - MINUTE_MS - ANSWER_MS) ?? []
    const wasFast = recent.length >= ENROLLMENTS_PER_MINUTE_MAX && Number(wait) >= 1 && Number(wait) <= 60
    if (code === 'RATE_LIMITED' && !wasFast && !wallClockJumps) this.#world.fail(`${id} is told ${code} for no reason`)
    const tasksFail = machine.failedShare > 0 || machine.lostShare > 0
    const wasFault = message === 'the voice could not be enrolled'
    if (wasFault && !tasksFail && !diskFills && commits.refusedShare === 0) {
      this.#world.fail(`${id} is told ${code} although nothing was wrong`)
    }
  }

  #deletes(id: string, voiceId: string, error: Answer['error']): void {
    if (error === undefined && !this.#deleted.has(voiceId)) this.#world.fail(`${id} is told that ${voiceId} is deleted`)
  }

  #of({ accountId, sha256 }: Pick<Enrollment, 'accountId' | 'sha256'>): Enrollment[] {
    return [...this.#enrollments.values()].filter((one) => one.accountId === accountId && one.sha256 === sha256)
  }
}

function digest(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
