import type { Account, ApiKey } from '../ledger/ledger.ts'
import { creditRemaining, quotaRemaining, spendable } from '../ledger/quota.ts'
import { UNLIMITED } from '../limits.ts'
import { authenticate } from './authenticate.ts'
import { usageOperation } from './documents/usage.ts'
import { replyOk } from './envelope.ts'
import type { Route } from './exchange.ts'
import type { Services } from './services.ts'

/** `GET /api/v1/usage`: what a key has used and may still spend. An account key is never told the account's balance. */
export function usage(services: Pick<Services, 'ledger' | 'clock'>): Route {
  return {
    method: 'GET',
    path: '/api/v1/usage',
    operation: usageOperation,
    handle(exchange) {
      const { key, account } = authenticate(services, exchange, { kinds: ['voice', 'admin'], scope: 'usage.read' })
      replyOk(
        exchange,
        key.kind === 'admin'
          ? { environment: 'live', key: keyUsage('admin', key) }
          : {
              environment: 'live',
              ...quotaUsage(account),
              key: { ...keyUsage('tts', key), spendable: spendable(key, account) },
            },
      )
    },
  }
}

function quotaUsage({ tts: quota }: Account): object {
  return {
    limit: quota.limit ?? UNLIMITED,
    used: quota.used,
    remaining: quotaRemaining(quota),
    unlimited: quota.limit === null,
    reset_date: new Date(quota.resetDate).toISOString(),
    reset_interval: quota.resetInterval,
    reset_interval_count: quota.resetIntervalCount,
  }
}

function keyUsage(kind: 'tts' | 'admin', key: ApiKey): object {
  return {
    kind,
    name: key.name,
    last_four: key.lastFour,
    ...creditUsage(key),
    credit_source: key.creditLimit === null ? 'account' : 'key',
  }
}

/** Lifetime figures of a key, as the usage and the key list show them. */
export function creditUsage(key: ApiKey): object {
  return { credit_limit: key.creditLimit, credit_used: key.creditUsed, credit_remaining: creditRemaining(key) }
}
