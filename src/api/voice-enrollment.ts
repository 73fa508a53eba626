import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { DecoderBusy } from '../audio/decoding.ts'
import type { EnrolledVoice, EnrollmentOutcome, NewKey } from '../ledger/ledger.ts'
import { newVoiceId } from '../ledger/voices.ts'
import { ENROLLMENTS_PER_MINUTE_MAX, VOICES_PER_ACCOUNT_MAX } from '../limits.ts'
import { SpoolFull } from '../runtime/spool.ts'
import { UnfitReference, type VoiceFitting } from '../speech/voice-fitting.ts'
import { linkSignals } from './abort-signals.ts'
import { findPlace } from './admission.ts'
import { authenticate, type Caller, requirePermission } from './authenticate.ts'
import { enrollVoiceOperation } from './documents/voices.ts'
import { asFailedField, ENROLLMENT_FORM, type EnrollmentForm, parseEnrollment, unfitFile } from './enrollment-fields.ts'
import { replyJson } from './envelope.ts'
import { ApiError, asApiError, describe } from './errors.ts'
import { ClientGone, type Exchange, type Route } from './exchange.ts'
import type { Services, VoiceLearning } from './services.ts'

/**
 * `POST /api/v1/voices`: makes a voice from a recording of a speaker who agrees, and a key bound to it. A client that leaves
 * before the voice exists leaves nothing behind.
 */
export function voiceEnrollment(services: Services): Route {
  return {
    method: 'POST',
    path: '/api/v1/voices',
    operation: enrollVoiceOperation,
    async handle(exchange) {
      const { signal, unlink } = linkSignals(exchange.closed, services.lifecycle.stopped)
      try {
        await answer(services, exchange, signal)
      } catch (error) {
        throw explain(services, exchange, error)
      } finally {
        unlink()
      }
    },
  }
}

async function answer(services: Services, exchange: Exchange, signal: AbortSignal): Promise<void> {
  requireEnroller(services, exchange)
  const form = await exchange.form(ENROLLMENT_FORM)
  try {
    // Again: a long upload is a long time.
    const caller = requireEnroller(services, exchange)
    const outcome = await enroll(services, exchange, caller, parseEnrollment(form), signal)
    const enrolled = requireVoice(services, exchange, outcome)
    replyJson(exchange, enrolled.status === 'created' ? 201 : 200, { ok: true, data: describeVoice(enrolled) })
  } finally {
    await form.dispose()
  }
}

function requireEnroller(services: Services, exchange: Exchange): Caller {
  const caller = authenticate(services, exchange, { kinds: ['admin'], tellsDisabled: true })
  requirePermission(caller, 'audioUpload')
  return caller
}

/** The steps behind the fields, in their order (D22): rate, content, ceiling, then the work. */
async function enroll(
  services: Services,
  exchange: Exchange,
  caller: Caller,
  form: EnrollmentForm,
  signal: AbortSignal,
): Promise<EnrollmentOutcome> {
  const { ledger, log } = services
  const accountId = caller.account.id
  const start = await ledger.beginEnrollment(accountId)
  if (start.status === 'too_fast') throw tooFast(start.retryAfterMs)
  const sha256 = await sha256OfFile(form.file.path)
  await mend(services, ledger.voiceOfContent(accountId, sha256), form, signal)
  // A key made for somebody who has left would be known to nobody.
  signal.throwIfAborted()
  const known = await ledger.findEnrolled(accountId, sha256)
  if (known !== undefined) return known

  const fitting = await learn(services, form.file.path, signal)
  const id = newVoiceId(services.random)
  const { name, gender, description, file } = form
  const voice = { id, accountId, name, gender, description, fileName: file.name, fileSize: file.bytes, sha256 }
  const outcome = await services.voiceFiles.add(id, { reference: file.path, features: fitting.sketch }, () => {
    signal.throwIfAborted()
    return ledger.enrollVoice(voice, caller.key.id)
  })
  if (outcome.status === 'created') becomeVoice(services, id, fitting)
  log.info({ requestId: exchange.id, keyId: caller.key.id, voiceId: id, outcome: outcome.status }, 'enrollment ended')
  return outcome
}

/** The voice speaks from now on; what is left to be done nobody waits for. */
function becomeVoice({ prepareVoice, voiceRefiner }: Services, voiceId: string, fitting: VoiceFitting): void {
  prepareVoice?.(voiceId)
  voiceRefiner?.add(voiceId, fitting)
}

/** Learns a voice anew whose features are lost: what it was learnt from has just come in again. */
async function mend(
  services: Services,
  voice: EnrolledVoice | undefined,
  { file }: EnrollmentForm,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, voiceFiles, voiceRefiner } = services
  if (voice === undefined || (await voiceFiles.load(voice.id)) !== undefined) return
  const fitting = await learn(services, file.path, signal)
  // Somebody else has brought it, or it was learnt from its own recording.
  if ((await voiceFiles.load(voice.id)) !== undefined) return
  await voiceRefiner?.cancel(voice.id)
  await voiceFiles.restore(voice.id, { reference: file.path, features: fitting.sketch })
  if (ledger.voice(voice.id) !== undefined) becomeVoice(services, voice.id, fitting)
  // Deleted meanwhile.
  else await voiceFiles.remove(voice.id)
}

type Enrolled = Extract<EnrollmentOutcome, { readonly voice: EnrolledVoice }>

/** Throws for an outcome without a voice. */
function requireVoice(services: Services, exchange: Exchange, outcome: EnrollmentOutcome): Enrolled {
  switch (outcome.status) {
    case 'created':
    case 'known':
      return outcome
    case 'limit_reached':
      throw new ApiError('VOICE_LIMIT_REACHED', `the account has ${VOICES_PER_ACCOUNT_MAX} voices, all it may have`)
    case 'not_allowed':
      // Says how: revoked, or disabled.
      requireEnroller(services, exchange)
      throw new Error('the ledger refuses a key that may enroll')
  }
}

async function learn(services: Services, path: string, signal: AbortSignal): Promise<VoiceFitting> {
  const learner = requireLearner(services)
  const place = findPlace(services, { pace: 'fitting' })
  if (place.status === 'refused') throw failed(place.message, place.retryAfterSeconds)
  try {
    return await learner.learn(path, { signal })
  } finally {
    place.release()
  }
}

function requireLearner({ voiceLearner }: Services): VoiceLearning {
  if (voiceLearner !== undefined) return voiceLearner
  throw new ApiError(
    'ENROLLMENT_FAILED',
    'this node has no model that learns voices: `syrinx models pull` fetches what is missing',
  )
}

/** What becomes of an error: whatever a client or the node's end has stopped fails in many ways, and has one reason. */
function explain(services: Services, exchange: Exchange, error: unknown): ApiError | ClientGone {
  if (error instanceof ApiError && error.code !== 'BACKEND_ERROR') return error
  if (error instanceof ClientGone || exchange.closed.aborted) return new ClientGone()
  if (services.lifecycle.stopped.aborted) return failed('the node is shutting down', RETRY_SECONDS)
  if (error instanceof UnfitReference) return unfitFile(error.rule, error.message)
  if (error instanceof DecoderBusy || error instanceof SpoolFull) {
    return failed('the node has no room for another enrollment', RETRY_SECONDS)
  }
  const told = asFailedField(error) ?? asApiError(error)
  // The network edge has one error for whatever it has no room for.
  if (told.code === 'BACKEND_ERROR') return new ApiError('ENROLLMENT_FAILED', told.message, { headers: told.headers })
  if (told.status < 500) return told
  services.log.error({ requestId: exchange.id, ...describe(error) }, 'enrollment failed')
  return failed('the voice could not be enrolled', RETRY_SECONDS)
}

const RETRY_SECONDS = 10

function failed(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError('ENROLLMENT_FAILED', message, { headers: { 'Retry-After': String(retryAfterSeconds) } })
}

function tooFast(retryAfterMs: number): ApiError {
  const headers = { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }
  return new ApiError('RATE_LIMITED', `at most ${ENROLLMENTS_PER_MINUTE_MAX} enrollments a minute`, { headers })
}

/** The contract's voice, in the order of its table. */
function describeVoice({ status, voice, newKey }: Enrolled): object {
  return {
    voice_id: voice.id,
    name: voice.name,
    status: 'ready',
    deduped: status === 'known',
    gender: voice.gender,
    description: voice.description,
    file_name: voice.fileName,
    file_size: voice.fileSize,
    created_at: new Date(voice.createdAt).toISOString(),
    key_status: newKey === undefined ? 'exists' : 'created',
    api_key: newKey === undefined ? null : describeKey(newKey),
  }
}

function describeKey({ key, plaintext }: NewKey): object {
  return { key: plaintext, last_four: key.lastFour, scopes: key.scopes }
}

async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
