import { authenticate, requirePermission } from './authenticate.ts'
import { deleteVoiceOperation } from './documents/voices.ts'
import { replyOk } from './envelope.ts'
import { ApiError, describe } from './errors.ts'
import type { Route } from './exchange.ts'
import type { Services } from './services.ts'
import { maySpeakWith } from './voice-access.ts'

/**
 * `DELETE /api/v1/voices/:id`: removes an enrolled voice, its keys, its recording and what was learnt from it; its history and the
 * consent stay. A text that is being spoken with it is spoken to its end.
 */
export function voiceDeletion(services: Services): Route {
  const { ledger, voices, voiceFiles, voiceRefiner, log } = services
  return {
    method: 'DELETE',
    path: '/api/v1/voices/:id',
    operation: deleteVoiceOperation,
    async handle(exchange) {
      const caller = authenticate(services, exchange, { kinds: ['admin'] })
      requirePermission(caller, 'audioUpload')
      const { key } = caller
      const voice = voices.find(exchange.params.id ?? '')
      const isReached = voice !== undefined && voice.accountId === key.accountId && maySpeakWith(key, voice)
      const deleted = isReached ? await ledger.deleteVoice(voice.id, key.accountId) : undefined
      if (deleted === undefined) {
        throw new ApiError('VOICE_NOT_ALLOWED', 'the voice must be one of the account’s own that this key may use')
      }
      try {
        await voiceRefiner?.cancel(deleted.id)
        await voiceFiles.remove(deleted.id)
      } catch (error) {
        // The voice is gone all the same; the next sweep tries again.
        log.error(
          { requestId: exchange.id, voiceId: deleted.id, ...describe(error) },
          'voice files could not be removed',
        )
      }
      log.info({ requestId: exchange.id, keyId: key.id, voiceId: deleted.id }, 'voice deleted')
      replyOk(exchange, { voice_id: deleted.id, name: deleted.name, deleted: true })
    },
  }
}
