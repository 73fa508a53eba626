import { z } from 'zod'
import { authenticateSpeaker } from './authenticate.ts'
import { parseJsonObject, readBody } from './body.ts'
import { priceOf } from './charge.ts'
import { generateOperation } from './documents/tts.ts'
import { replyOk } from './envelope.ts'
import { ApiError } from './errors.ts'
import type { Route } from './exchange.ts'
import { FileFields, parseFields } from './fields.ts'
import { recorded, type Subject } from './history.ts'
import { answerOnce } from './idempotency.ts'
import { paidSpeech } from './paid-speech.ts'
import { publicOrigin } from './public-urls.ts'
import type { Services } from './services.ts'
import { requireSpoken, synthesisRequest } from './speech.ts'
import { fileWork, speakFile } from './speech-file.ts'
import { resolveVoice } from './voice-access.ts'

/** What is kept of an answer for a repeat; the text is not, since a repeat brings it along. */
const Answer = z.object({ voice_id: z.string(), audio_url: z.string(), chars_deducted: z.int() })

/** `POST /api/v1/tts/generate`: speaks into a file, keeps it, and answers with its address. */
export function ttsGenerate(services: Services): Route {
  return {
    method: 'POST',
    path: '/api/v1/tts/generate',
    operation: generateOperation,
    async handle(exchange) {
      const askedAt = services.clock.monotonic()
      const caller = authenticateSpeaker(services, exchange, 'tts.generate')
      const body = await readBody(exchange)
      const fields = parseFields(FileFields, parseJsonObject(body))
      const origin = publicOrigin(services, exchange.request)

      const { requestId, answer } = await answerOnce(services, exchange, caller, body, Answer, async (id) => {
        const voice = await resolveVoice(services, caller, fields.voice_id)
        requireSpoken(services, fields.text, fields.language, voice)
        const characters = priceOf(fields.text, fields.duration)
        const subject: Subject = { id, key: caller.key, voiceId: voice.id, way: 'generate', characters, askedAt }
        const request = synthesisRequest(id, fields, voice, 'batch', fields.duration)
        await requireRoom(services)
        return await paidSpeech(services, subject, fileWork(fields), async () => {
          const { audioUrl } = await recorded(services, subject, async () => {
            const { bytes, durationMs } = await speakFile(services, exchange, request, fields.format)
            const name = await services.audioFiles.store(bytes, fields.format)
            return { durationMs, audioUrl: `${origin}${services.audioFiles.link(name)}` }
          })
          return { voice_id: voice.id, audio_url: audioUrl, chars_deducted: characters }
        })
      })

      const { voice_id, audio_url, chars_deducted } = answer
      const data = {
        success: true,
        request_id: requestId,
        voice_id,
        audio_url,
        text: fields.text,
        duration: fields.duration,
        status: 'completed',
        chars_deducted,
      }
      // A repeat answers under the id of the request it repeats, in the header as in the body (D8, D17).
      replyOk(exchange, data, { 'X-Request-Id': requestId })
    },
  }
}

/** Throws `BACKEND_ERROR` 503 with `Retry-After` while the disk is full: nobody pays for a file that can't be kept. */
async function requireRoom({ audioFiles }: Services): Promise<void> {
  if (await audioFiles.hasRoom()) return
  const headers = { 'Retry-After': String(DISK_RETRY_SECONDS) }
  throw new ApiError('BACKEND_ERROR', 'the node has no room on its disk for another file', { status: 503, headers })
}

/** Files go after a day, so room comes back by itself, or when somebody makes some. */
const DISK_RETRY_SECONDS = 60
