import { ENROLLMENTS_KEPT_MAX } from '../limits.ts'
import type { VoiceLearner } from '../pipelines/voice-learner.ts'
import type { Log } from '../runtime/log.ts'
import type { VoiceFitting } from '../speech/voice-fitting.ts'
import { describe } from './errors.ts'
import type { VoiceFiles } from './voice-files.ts'

export interface VoiceRefinerParts {
  readonly learner: Pick<VoiceLearner, 'learn'>
  readonly voiceFiles: Pick<VoiceFiles, 'unrefined' | 'referenceOf' | 'refine'>
  readonly isVoice: (voiceId: string) => boolean
  /** The voice may sound otherwise from now on. */
  readonly onRefined: (voiceId: string) => void
  readonly log: Log
}

/**
 * Makes of sketches the voices that stay, one at a time, behind all that somebody waits for:
 *
 *   enrolled ─▶ a sketch on disk ─▶ waits for its turn ─▶ refined ─▶ on disk ─▶ told
 *                                          ▲
 *   at the next start, from the recording ─┘
 *
 * One that fails stays a sketch until the next start.
 */
export class VoiceRefiner {
  readonly #parts: VoiceRefinerParts
  /** In their order; undefined: has to be learnt from its recording again. */
  readonly #waiting = new Map<string, VoiceFitting | undefined>()
  #current: { readonly voiceId: string; readonly abort: AbortController; readonly done: Promise<void> } | undefined
  #isStopped = false

  constructor(parts: VoiceRefinerParts) {
    this.#parts = parts
  }

  /** Voices that are still to be refined. */
  get count(): number {
    return this.#waiting.size + (this.#current === undefined ? 0 : 1)
  }

  /** Goes on where the last process ended. */
  async resume(): Promise<void> {
    for (const voiceId of await this.#parts.voiceFiles.unrefined()) this.add(voiceId)
  }

  /** `fitting`: what has made the sketch. */
  add(voiceId: string, fitting?: VoiceFitting): void {
    if (this.#isStopped || this.#current?.voiceId === voiceId) return
    this.#waiting.set(voiceId, this.#waiting.size < ENROLLMENTS_KEPT_MAX ? fitting : undefined)
    this.#advance()
  }

  /** Resolves when nothing of the voice is written any more. */
  async cancel(voiceId: string): Promise<void> {
    this.#waiting.delete(voiceId)
    if (this.#current?.voiceId !== voiceId) return
    this.#current.abort.abort()
    await this.#current.done
  }

  /** Resolves when nothing is written any more; what is left is for the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#waiting.clear()
    this.#current?.abort.abort()
    await this.#current?.done
  }

  /** The one driver: begins the next, where none is being refined. Safe to call at any time. */
  #advance(): void {
    const [next] = this.#waiting
    if (next === undefined || this.#current !== undefined) return
    const [voiceId, fitting] = next
    this.#waiting.delete(voiceId)
    const abort = new AbortController()
    const done = this.#refine(voiceId, fitting, abort.signal).finally(() => {
      this.#current = undefined
      this.#advance()
    })
    this.#current = { voiceId, abort, done }
  }

  async #refine(voiceId: string, fitting: VoiceFitting | undefined, signal: AbortSignal): Promise<void> {
    const { learner, voiceFiles, isVoice, onRefined, log } = this.#parts
    try {
      const { refine } = fitting ?? (await learner.learn(voiceFiles.referenceOf(voiceId), { signal, isAhead: true }))
      const features = await refine(signal)
      if (signal.aborted || !isVoice(voiceId)) return
      // Who can't be sure must look again.
      await voiceFiles.refine(voiceId, features).finally(() => onRefined(voiceId))
      log.info({ voiceId }, 'voice refined')
    } catch (error) {
      if (!signal.aborted) log.warn({ voiceId, ...describe(error) }, 'a voice could not be refined')
    }
  }
}
