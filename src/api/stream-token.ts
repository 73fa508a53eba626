import { STREAM_TOKEN_LIFETIME_MS } from '../limits.ts'
import { admit } from './admission.ts'
import { authenticateSpeaker } from './authenticate.ts'
import { parseJsonObject, readBody } from './body.ts'
import { uncharged } from './charge.ts'
import { streamTokenOperation } from './documents/tts-socket.ts'
import { replyOk } from './envelope.ts'
import type { Route } from './exchange.ts'
import { parseFields, StreamTokenFields } from './fields.ts'
import { ttsSocketUrl } from './public-urls.ts'
import type { Services } from './services.ts'
import { resolveVoice } from './voice-access.ts'

/** `POST /api/v1/tts/stream-token`: pays for a stream and hands out the token that opens its socket. */
export function streamToken(services: Services): Route {
  return {
    method: 'POST',
    path: '/api/v1/tts/stream-token',
    operation: streamTokenOperation,
    async handle(exchange) {
      const caller = authenticateSpeaker(services, exchange, 'tts.stream')
      const fields = parseFields(StreamTokenFields, parseJsonObject(await readBody(exchange)))
      const voice = await resolveVoice(services, caller, fields.voice_id)
      const socketUrl = ttsSocketUrl(services, exchange.request)
      const characters = fields.text_length
      // The place itself is taken when the socket opens; here it only has to exist (D18).
      const place = admit(services, { pace: 'live' })
      try {
        const charge = { id: exchange.id, keyId: caller.key.id, meter: 'tts', characters } as const
        const outcome = await services.ledger.issueToken(charge, voice.id)
        if (outcome.status !== 'issued') throw uncharged(outcome.status)
        replyOk(exchange, {
          stream_token: outcome.token,
          ws_url: socketUrl,
          max_length: characters,
          chars_deducted: characters,
          expires_in: STREAM_TOKEN_LIFETIME_MS / 1000,
        })
      } finally {
        place.release()
      }
    },
  }
}
