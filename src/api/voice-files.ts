import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { isVoiceId } from '../ledger/voices.ts'
import { VOICE_FEATURES_BYTES_MAX } from '../limits.ts'
import type { Disk } from '../runtime/disk.ts'
import type { FeatureState, VoiceFeatureStore, VoiceFeatures } from '../speech/voice-fitting.ts'

/** `reference`: path of the recording, which is copied. */
export interface VoiceParts {
  readonly reference: string
  readonly features: VoiceFeatures
}

/**
 * What enrolled voices are made of, a folder each:
 *
 *   <folder>/voice_…/reference   the recording, as it was uploaded
 *   <folder>/voice_…/features    SHA-256 of the rest │ what the engine learnt
 *
 * A voice exists because the ledger says so; a folder without a voice is a leftover. So files come before the record and go after it,
 * a crash anywhere leaves a whole voice or none, and `sweep` takes the leftovers. One process a folder.
 *
 *   write <id>.part ─▶ rename to <id> ─▶ the ledger's record ═ the voice exists ═▶ the record goes ─▶ remove <id>
 *
 * The features are a sketch at first, and tell so themselves. What replaces them comes by one more rename, from <id>.part to
 * <id>/features.
 */
export class VoiceFiles implements VoiceFeatureStore {
  readonly #folder: string
  readonly #disk: Disk
  readonly #stateOf: FeatureCheck
  /** Voices whose files come before their record. */
  readonly #beginning = new Set<string>()
  /** Voices whose files are being replaced. */
  readonly #restoring = new Map<string, Promise<void>>()

  /** `stateOf`: what the engine says of features; those it doesn't understand any more are as good as lost. */
  static async open(folder: string, disk: Disk, stateOf: FeatureCheck = () => 'refined'): Promise<VoiceFiles> {
    await disk.makeFolder(folder)
    // Or a power cut could take the folder itself, with the first voices in it.
    await disk.syncFolder(dirname(folder))
    return new VoiceFiles(folder, disk, stateOf)
  }

  private constructor(folder: string, disk: Disk, stateOf: FeatureCheck) {
    this.#folder = folder
    this.#disk = disk
    this.#stateOf = stateOf
  }

  /** Puts the files of a new voice in place, then calls `record`. They stay if that resolves with `created`, and only then. */
  async add<T extends { readonly status: string }>(
    voiceId: string,
    parts: VoiceParts,
    record: () => Promise<T>,
  ): Promise<T> {
    this.#beginning.add(voiceId)
    let isRecorded = false
    try {
      await this.#write(voiceId, parts)
      const outcome = await record()
      isRecorded = outcome.status === 'created'
      return outcome
    } finally {
      if (!isRecorded) await this.#removeAll(voiceId)
      this.#beginning.delete(voiceId)
    }
  }

  /** Puts the files of a voice that exists in place of those it has lost. Who comes meanwhile, with the same recording, gets the same. */
  restore(voiceId: string, parts: VoiceParts): Promise<void> {
    const running = this.#restoring.get(voiceId)
    if (running !== undefined) return running
    const restoring = this.#restore(voiceId, parts).finally(() => this.#restoring.delete(voiceId))
    this.#restoring.set(voiceId, restoring)
    return restoring
  }

  async #restore(voiceId: string, parts: VoiceParts): Promise<void> {
    this.#beginning.add(voiceId)
    try {
      await this.#removeAll(voiceId)
      await this.#write(voiceId, parts)
    } finally {
      this.#beginning.delete(voiceId)
    }
  }

  async load(voiceId: string): Promise<VoiceFeatures | undefined> {
    return (await this.#read(voiceId))?.features
  }

  /** Voices whose features are a sketch, or lost although the recording may be there. */
  async unrefined(): Promise<string[]> {
    const unrefined: string[] = []
    for (const voiceId of await this.#disk.list(this.#folder)) {
      if (isVoiceId(voiceId) && (await this.#read(voiceId))?.state !== 'refined') unrefined.push(voiceId)
    }
    return unrefined
  }

  /** Path of the recording. */
  referenceOf(voiceId: string): string {
    return join(this.#pathOf(voiceId), REFERENCE)
  }

  /** Puts other features in place of those that are there. Rejects where there is no such voice. */
  async refine(voiceId: string, features: VoiceFeatures): Promise<void> {
    await this.#restoring.get(voiceId)
    const path = this.#pathOf(voiceId)
    this.#beginning.add(voiceId)
    try {
      await this.#disk.write(partialOf(path), sealed(features))
      await this.#removeMeasurements(path)
      await this.#disk.rename(partialOf(path), join(path, FEATURES))
      await this.#disk.syncFolder(path)
    } finally {
      await this.#disk.remove(partialOf(path))
      this.#beginning.delete(voiceId)
    }
  }

  async #read(voiceId: string): Promise<{ features: VoiceFeatures; state: FeatureState } | undefined> {
    if (!isVoiceId(voiceId)) return undefined
    const bytes = await this.#disk.read(join(this.#pathOf(voiceId), FEATURES)).catch(() => undefined)
    if (bytes === undefined || bytes.length > CHECKSUM_BYTES + VOICE_FEATURES_BYTES_MAX) return undefined
    // A copy: what was read may be part of a larger buffer.
    const features = new Uint8Array(bytes.subarray(CHECKSUM_BYTES))
    const isWhole = checksum(features).equals(bytes.subarray(0, CHECKSUM_BYTES))
    const state = isWhole ? this.#stateOf(features) : 'lost'
    return state === 'lost' ? undefined : { features, state }
  }

  /** The recording and all that was learnt from it; nothing where there is none. */
  async remove(voiceId: string): Promise<void> {
    const path = this.#pathOf(voiceId)
    // Out of reach first: what is measured of the voice in this moment is written into its folder, which then isn't empty again.
    await this.#disk.rename(path, partialOf(path)).catch(() => {})
    await this.#removeAll(voiceId)
    await this.#disk.syncFolder(this.#folder)
  }

  /** Removes what belongs to no voice: of enrollments a crash cut short, of deletions that could not be completed. Returns how many. */
  async sweep(isVoice: (voiceId: string) => boolean): Promise<number> {
    let removed = 0
    for (const name of await this.#disk.list(this.#folder)) {
      const voiceId = name.replace(/\.part$/, '')
      if (!isVoiceId(voiceId) || this.#beginning.has(voiceId) || (voiceId === name && isVoice(voiceId))) continue
      await this.#disk.remove(join(this.#folder, name))
      removed += 1
    }
    return removed
  }

  async #write(voiceId: string, { reference, features }: VoiceParts): Promise<void> {
    const path = this.#pathOf(voiceId)
    const partial = partialOf(path)
    await this.#disk.makeFolder(partial)
    await this.#disk.copy(reference, join(partial, REFERENCE))
    await this.#disk.write(join(partial, FEATURES), sealed(features))
    await this.#disk.syncFolder(partial)
    await this.#disk.rename(partial, path)
    await this.#disk.syncFolder(this.#folder)
  }

  /** What an engine has measured of other features. */
  async #removeMeasurements(path: string): Promise<void> {
    for (const name of await this.#disk.list(path)) {
      if (name !== REFERENCE && name !== FEATURES) await this.#disk.remove(join(path, name))
    }
  }

  async #removeAll(voiceId: string): Promise<void> {
    const path = this.#pathOf(voiceId)
    await this.#disk.remove(partialOf(path))
    await this.#disk.remove(path)
  }

  #pathOf(voiceId: string): string {
    return join(this.#folder, voiceId)
  }
}

type FeatureCheck = (features: VoiceFeatures) => FeatureState

const REFERENCE = 'reference'
const FEATURES = 'features'
const CHECKSUM_BYTES = 32

function partialOf(path: string): string {
  return `${path}.part`
}

function sealed(features: VoiceFeatures): Uint8Array {
  return Buffer.concat([checksum(features), features])
}

function checksum(features: VoiceFeatures): Buffer {
  return createHash('sha256').update(features).digest()
}
