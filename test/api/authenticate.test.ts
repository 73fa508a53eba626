import { describe, expect, it } from 'vitest'
import { authenticate, type Requirement, requirePermission } from '../../src/api/authenticate.ts'
import { ApiError } from '../../src/api/errors.ts'
import type { Account, ApiKey, Permissions } from '../../src/ledger/ledger.ts'
import { FakeClock } from '../fake-clock.ts'
import { FakeExchange } from './fake-exchange.ts'

const clock = new FakeClock(Date.UTC(2026, 0, 1))
const quota = { limit: null, used: 0, resetDate: 0, resetInterval: 'month', resetIntervalCount: 1 } as const
const ACCOUNT: Account = { id: 'acct_1', name: 'A', createdAt: 0, disabled: false, tts: quota, stt: quota }
const PERMISSIONS: Permissions = {
  endpoints: { tts: true, stt: true },
  audioUpload: true,
  keyManagement: true,
  voiceScope: 'all',
  voiceIds: [],
}
const KEY: ApiKey = {
  id: 'key_1',
  accountId: 'acct_1',
  kind: 'voice',
  name: 'K',
  prefix: 'vc_sk_live_',
  lastFour: 'abcd',
  scopes: ['tts.generate', 'tts.stream', 'usage.read'],
  status: 'active',
  voiceId: 'preset_ada',
  permissions: null,
  createdAt: 0,
  lastUsedAt: null,
  expiresAt: null,
  creditLimit: null,
  creditUsed: 0,
}
const TTS: Requirement = { kinds: ['voice', 'admin'], scope: 'tts.generate' }

interface Case {
  readonly authorization?: string | undefined
  readonly key?: Partial<ApiKey> | undefined
  readonly account?: Partial<Account> | undefined
  readonly required?: Requirement
}

function attempt(given: Case) {
  const { authorization = 'Bearer the-key', required = TTS } = given
  const key = 'key' in given && given.key === undefined ? undefined : { ...KEY, ...given.key }
  const account = 'account' in given && given.account === undefined ? undefined : { ...ACCOUNT, ...given.account }
  const ledger = {
    findKey: (plaintext: string) => (plaintext === 'the-key' ? key : undefined),
    account: () => account,
  }
  const headers: Record<string, string> = 'authorization' in given && !given.authorization ? {} : { authorization }
  const exchange = new FakeExchange('request_1', { method: 'POST', url: '/', headers })
  return authenticate({ ledger, clock }, exchange, required)
}

function refusal(run: () => unknown): ApiError {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('a credential', () => {
  it.each<[string, Case]>([
    ['is missing', { authorization: undefined }],
    ['has no scheme', { authorization: 'the-key' }],
    ['has another scheme', { authorization: 'Basic the-key' }],
    ['is empty', { authorization: 'Bearer ' }],
    ['is two words', { authorization: 'Bearer the-key the-key' }],
    ['is unknown', { authorization: 'Bearer another-key' }],
    ['is inactive', { key: { status: 'inactive' } }],
    ['is revoked', { key: { status: 'revoked' } }],
    ['is revoked and expired', { key: { status: 'revoked', expiresAt: 1 } }],
    ['belongs to a disabled account', { account: { disabled: true } }],
    ['belongs to no account', { account: undefined }],
  ])('that %s is 401 INVALID_API_KEY with WWW-Authenticate (D2)', (_, given) => {
    const error = refusal(() => attempt(given))
    expect([error.code, error.status]).toEqual(['INVALID_API_KEY', 401])
    expect(error.headers).toEqual({ 'WWW-Authenticate': 'Bearer' })
  })

  it.each<[string, Case]>([
    ['has expired', { key: { expiresAt: clock.now() } }],
    ['is of the wrong kind', { key: { kind: 'stt' } }],
    ['is of a kind only other endpoints take', { required: { kinds: ['admin'] } }],
    ['lacks the scope (D19a)', { key: { scopes: ['tts.stream', 'usage.read'] } }],
  ])('that %s is 403 INVALID_API_KEY (D2)', (_, given) => {
    const error = refusal(() => attempt(given))
    expect([error.code, error.status]).toEqual(['INVALID_API_KEY', 403])
    expect(error.headers).toEqual({})
  })

  it.each<[string, Case]>([
    ['is active', {}],
    ['expires in a millisecond', { key: { expiresAt: clock.now() + 1 } }],
    ['names its scheme in lower case', { authorization: 'bearer the-key' }],
    ['is an account key, which has permissions instead of scopes', { key: { kind: 'admin', scopes: [] } }],
  ])('that %s opens the door', (_, given) => {
    expect(attempt(given)).toMatchObject({ key: { id: 'key_1' }, account: { id: 'acct_1' } })
  })
})

describe('a permission', () => {
  const off: Record<string, Permissions> = {
    tts: { ...PERMISSIONS, endpoints: { tts: false, stt: true } },
    stt: { ...PERMISSIONS, endpoints: { tts: true, stt: false } },
    audioUpload: { ...PERMISSIONS, audioUpload: false },
    keyManagement: { ...PERMISSIONS, keyManagement: false },
  }

  it.each(['tts', 'stt', 'audioUpload', 'keyManagement'] as const)('%s that is off is PERMISSION_DENIED', (name) => {
    const caller = (permissions: Permissions | null) =>
      ({ key: { ...KEY, kind: 'admin', permissions }, account: ACCOUNT }) as const
    expect(() => requirePermission(caller(PERMISSIONS), name)).not.toThrow()
    for (const permissions of [off[name] ?? null, null]) {
      const error = refusal(() => requirePermission(caller(permissions), name))
      expect([error.code, error.status]).toEqual(['PERMISSION_DENIED', 403])
    }
  })

  it('is not asked of a voice key', () => {
    expect(() => requirePermission({ key: KEY, account: ACCOUNT }, 'tts')).not.toThrow()
  })
})
