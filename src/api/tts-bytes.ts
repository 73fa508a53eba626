import { authenticateSpeaker } from './authenticate.ts'
import { parseJsonObject, readBody } from './body.ts'
import { priceOf } from './charge.ts'
import { bytesOperation } from './documents/tts.ts'
import type { Route } from './exchange.ts'
import { FileFields, parseFields } from './fields.ts'
import { recorded, type Subject } from './history.ts'
import { paidSpeech } from './paid-speech.ts'
import type { Services } from './services.ts'
import { requireSpoken, synthesisRequest } from './speech.ts'
import { CONTENT_TYPES, fileWork, speakFile } from './speech-file.ts'
import { resolveVoice } from './voice-access.ts'

/** `POST /api/v1/tts/bytes`: speaks into a file and answers with the file itself; nothing is kept. */
export function ttsBytes(services: Services): Route {
  return {
    method: 'POST',
    path: '/api/v1/tts/bytes',
    operation: bytesOperation,
    async handle(exchange) {
      const askedAt = services.clock.monotonic()
      const caller = authenticateSpeaker(services, exchange, 'tts.generate')
      const fields = parseFields(FileFields, parseJsonObject(await readBody(exchange)))
      const voice = await resolveVoice(services, caller, fields.voice_id)
      requireSpoken(services, fields.text, fields.language, voice)
      const { format, duration } = fields
      const characters = priceOf(fields.text, duration)
      const { id } = exchange
      const subject: Subject = { id, key: caller.key, voiceId: voice.id, way: 'bytes', characters, askedAt }
      const request = synthesisRequest(id, fields, voice, 'batch', duration)
      await paidSpeech(services, subject, fileWork(fields), async () => {
        const { bytes } = await recorded(services, subject, () => speakFile(services, exchange, request, format))
        const headers = {
          'Content-Type': CONTENT_TYPES[format],
          'Content-Disposition': `attachment; filename="service.${format}"`,
          'Cache-Control': 'no-store',
          'X-Service-Format': format,
          'X-Service-Sample-Rate': String(services.synthesizer.sampleRate),
          'X-Service-Chars-Deducted': String(characters),
        }
        exchange.reply(200, headers, bytes)
      })
    },
  }
}
