import type { ApiKey } from '../ledger/ledger.ts'
import { authenticate, isExpired, requirePermission } from './authenticate.ts'
import { keysOperation } from './documents/usage.ts'
import { replyOk } from './envelope.ts'
import type { Route } from './exchange.ts'
import type { Services } from './services.ts'
import { creditUsage } from './usage.ts'
import { maySpeakWith } from './voice-access.ts'

/** `GET /api/v1/keys`: the keys an account key can reach, without their secrets. */
export function keys(services: Services): Route {
  const { ledger, voices, clock } = services
  return {
    method: 'GET',
    path: '/api/v1/keys',
    operation: keysOperation,
    handle(exchange) {
      const caller = authenticate(services, exchange, { kinds: ['admin'] })
      requirePermission(caller, 'keyManagement')
      const { key: self } = caller
      const siblings = ledger.keysOf(self.accountId)
      const now = clock.now()

      const reachesVoiceOf = ({ voiceId }: ApiKey) => {
        const voice = voiceId === null ? undefined : voices.find(voiceId)
        return voice !== undefined && maySpeakWith(self, voice)
      }
      const { tts, stt } = self.permissions?.endpoints ?? { tts: false, stt: false }
      const voiceKeys = tts ? siblings.filter((key) => key.kind === 'voice' && reachesVoiceOf(key)) : []
      const sttKeys = stt ? siblings.filter((key) => key.kind === 'stt') : []
      replyOk(exchange, {
        keys: {
          admin: [entry(self, 'admin', now)],
          tts: voiceKeys.map((key) => ({ ...entry(key, 'tts', now), voice_id: key.voiceId })),
          stt: sttKeys.map((key) => entry(key, 'stt', now)),
        },
      })
    },
  }
}

/** One key as the list shows it (D20). */
function entry(key: ApiKey, kind: 'admin' | 'tts' | 'stt', now: number): object {
  return {
    id: key.id,
    kind,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    scopes: key.scopes,
    status: key.status === 'active' && isExpired(key, now) ? 'expired' : key.status,
    created_at: isoTime(key.createdAt),
    last_used_at: isoTime(key.lastUsedAt),
    expires_at: isoTime(key.expiresAt),
    ...creditUsage(key),
  }
}

function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
