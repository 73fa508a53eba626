import type { ApiKey, Generation } from '../ledger/ledger.ts'
import { describe } from './errors.ts'
import { ClientGone } from './exchange.ts'
import type { Way } from './service-observer.ts'
import type { Services } from './services.ts'

/** What is remembered of a generation, before it is known how it ends. Never its text. */
export interface Subject {
  readonly id: string
  readonly key: Pick<ApiKey, 'id' | 'accountId'>
  readonly voiceId: string
  readonly way: Way
  /** Characters charged. */
  readonly characters: number
  /** When it was asked for, on the monotonic clock. */
  readonly askedAt: number
}

type Recorder = Pick<Services, 'ledger' | 'clock' | 'log' | 'observer'>

/** Does the work, which makes a file, and records how it ended. */
export async function recorded<T extends { readonly durationMs: number }>(
  services: Recorder,
  subject: Subject,
  work: () => Promise<T>,
): Promise<T> {
  const { clock, observer } = services
  const ended = observer.speechBegan(subject.way)
  let result: T
  try {
    result = await work()
    observer.firstAudio(subject.way, clock.monotonic() - subject.askedAt)
  } catch (error) {
    await recordGeneration(services, subject, error instanceof ClientGone ? 'cancelled' : 'failed', 0)
    throw error
  } finally {
    ended()
  }
  await recordGeneration(services, subject, 'completed', result.durationMs)
  return result
}

/** Adds a line to the history. Never rejects: a line that can't be written must not spoil audio that was paid for. */
export async function recordGeneration(
  { ledger, clock, log, observer }: Recorder,
  { id, key, voiceId, way, characters }: Subject,
  outcome: Generation['outcome'],
  durationMs: number,
): Promise<void> {
  observer.speechEnded(way, outcome, durationMs)
  log.info({ requestId: id, keyId: key.id, voiceId, way, characters, outcome, durationMs }, 'speech ended')
  try {
    await ledger.recordGeneration({
      id,
      keyId: key.id,
      accountId: key.accountId,
      voiceId,
      way,
      characters,
      createdAt: clock.now(),
      outcome,
      durationMs,
    })
  } catch (error) {
    log.error({ requestId: id, ...describe(error) }, 'generation could not be added to the history')
  }
}
