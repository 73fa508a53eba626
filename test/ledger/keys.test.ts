import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { KeyOptions } from '../../src/ledger/keys.ts'
import type { Permissions } from '../../src/ledger/ledger.ts'
import { EVERY_PERMISSION, parsePermissions } from '../../src/ledger/permissions.ts'
import { waitFor } from '../wait-for.ts'
import { addAccount, openLedger, openWithKey } from './temporary-ledger.ts'

describe('a key', () => {
  it('is a prefix of its kind and 43 base62 characters, and is found by its whole text only (D13)', async () => {
    const { ledger, accountId, key, plaintext } = await openWithKey()
    const admin = await ledger.createKey({ accountId, kind: 'admin', name: 'Admin' })
    const stt = await ledger.createKey({ accountId, kind: 'stt', name: 'Ears' })
    expect(plaintext).toMatch(/^vc_sk_live_[0-9A-Za-z]{43}$/)
    expect(admin.plaintext).toMatch(/^vc_ak_live_[0-9A-Za-z]{43}$/)
    expect(stt.plaintext).toMatch(/^stt_sk_live_[0-9A-Za-z]{43}$/)
    expect(key).toMatchObject({ prefix: 'vc_sk_live_', lastFour: plaintext.slice(-4) })

    expect(ledger.findKey(plaintext)?.id).toBe(key.id)
    expect(ledger.findKey(admin.plaintext)?.permissions).toEqual(EVERY_PERMISSION)
    const changed = plaintext.endsWith('a') ? 'b' : 'a'
    for (const wrong of ['', 'vc_sk_live_', ` ${plaintext}`, `${plaintext}\n`, plaintext.slice(0, -1) + changed]) {
      expect(ledger.findKey(wrong)).toBeUndefined()
    }
  })

  it('carries no hash and no plaintext', async () => {
    const { ledger, plaintext, accountId } = await openWithKey()
    const hash = createHash('sha256').update(plaintext).digest()
    for (const key of [ledger.findKey(plaintext), ...ledger.keysOf(accountId)]) {
      const text = JSON.stringify(key)
      for (const secret of [plaintext, hash.toString('hex'), hash.toString('base64')])
        expect(text).not.toContain(secret)
    }
  })

  it('is found revoked at once, for ever', async () => {
    const { ledger, key, plaintext } = await openWithKey()
    await ledger.revokeKey(key.id)
    expect(ledger.findKey(plaintext)?.status).toBe('revoked')
    expect((await ledger.revokeKey(key.id)).status).toBe('revoked')
  })

  it('notes its last use at most once a minute', async () => {
    const { ledger, clock, key, plaintext } = await openWithKey()
    const used = () => ledger.key(key.id)?.lastUsedAt
    const first = clock.now()
    expect(used()).toBeNull()
    for (let i = 0; i < 50; i++) ledger.findKey(plaintext)
    await waitFor(() => used() === first, 'the first use')
    clock.jump(59_999)
    ledger.findKey(plaintext)
    // Every earlier write is done when a later one is.
    await ledger.secret('a later write')
    expect(used()).toBe(first)
    clock.jump(1)
    ledger.findKey(plaintext)
    await waitFor(() => used() === first + 60_000, 'the use a minute later')
  })

  it('gets a new ceiling, or none', async () => {
    const { ledger, key } = await openWithKey()
    expect((await ledger.setCreditLimit(key.id, 5)).creditLimit).toBe(5)
    expect((await ledger.setCreditLimit(key.id, null)).creditLimit).toBeNull()
    await expect(ledger.setCreditLimit(key.id, 0)).rejects.toThrow('creditLimit must be a whole number of at least 1')
    await expect(ledger.setCreditLimit('key_unknown', 5)).rejects.toThrow('There is no key key_unknown')
  })

  it('has the scopes of its kind or fewer (D19a)', async () => {
    const { ledger, accountId } = await openWithKey()
    const create = (options: Partial<KeyOptions>) =>
      ledger.createKey({ accountId, kind: 'voice', name: 'K', voiceId: 'preset_af_heart', ...options })
    expect((await create({})).key.scopes).toEqual(['tts.generate', 'tts.stream', 'usage.read'])
    expect((await create({ scopes: ['usage.read', 'tts.generate'] })).key.scopes).toEqual([
      'tts.generate',
      'usage.read',
    ])
    await expect(create({ scopes: [] })).rejects.toThrow('scopes of a key of kind voice must be among')
    await expect(create({ scopes: ['stt.stream'] })).rejects.toThrow('scopes of a key of kind voice must be among')
  })

  it.each<[string, Partial<KeyOptions>]>([
    ['voice is required for a key of kind voice', { kind: 'voice' }],
    ['voice is for keys of kind voice', { kind: 'stt', voiceId: 'preset_af_heart' }],
    ['permissions are for keys of kind admin', { kind: 'stt', permissions: EVERY_PERMISSION }],
    ['scopes are for voice and stt keys', { kind: 'admin', scopes: ['usage.read'] }],
    ['creditLimit must be a whole number of at least 1', { kind: 'stt', creditLimit: 0 }],
    ['creditLimit must be a whole number of at least 1', { kind: 'stt', creditLimit: 1.5 }],
    ['expires must be in the future', { kind: 'stt', expiresAt: 0 }],
    ['name must not be empty', { kind: 'stt', name: ' ' }],
    ['There is no account', { kind: 'stt', accountId: 'acct_unknown' }],
  ])('is refused where %s', async (message, options) => {
    const { ledger, accountId } = await openWithKey()
    await expect(ledger.createKey({ accountId, kind: 'stt', name: 'K', ...options })).rejects.toThrow(message)
    expect(ledger.keysOf(accountId)).toHaveLength(1)
  })
})

describe('the keys of an account', () => {
  it('are its own alone, oldest first', async () => {
    const { ledger, clock, accountId, key } = await openWithKey()
    await addAccount(ledger)
    clock.jump(1)
    const later = await ledger.createKey({ accountId, kind: 'stt', name: 'Later' })
    expect(ledger.keysOf(accountId).map(({ id }) => id)).toEqual([key.id, later.key.id])
    expect(ledger.keysOf('acct_unknown')).toEqual([])
  })
})

describe('permissions', () => {
  const full: Permissions = { ...EVERY_PERMISSION, voiceScope: 'custom', voiceIds: ['voice_a'] }

  it('are taken whole', () => {
    expect(parsePermissions(JSON.parse(JSON.stringify(full)))).toEqual(full)
    const { voiceIds: _, ...withoutIds } = { ...full, voiceScope: 'mine' }
    expect(parsePermissions(withoutIds)).toEqual({ ...full, voiceScope: 'mine', voiceIds: [] })
  })

  it.each<[string, unknown]>([
    ['permissions must be an object', null],
    ['permissions must be an object', []],
    ['permissions has no field keymanagement', { ...full, keymanagement: true }],
    ['permissions endpoints must be an object', { ...full, endpoints: true }],
    ['permissions endpoints.stt must be true or false', { ...full, endpoints: { tts: true } }],
    ['permissions audioUpload must be true or false', { ...full, audioUpload: 'yes' }],
    ['permissions voiceScope must be all, mine or custom', { ...full, voiceScope: 'ALL' }],
    ['permissions voiceIds must not be empty when voiceScope is custom', { ...full, voiceIds: [] }],
    ['permissions voiceIds must be a list of voice ids', { ...full, voiceIds: [1] }],
    ['permissions voiceIds must hold at most 200 ids', { ...full, voiceIds: Array(201).fill('voice_a') }],
  ])('are refused where %s', (message, value) => {
    expect(() => parsePermissions(value)).toThrow(message)
  })
})

describe('the first start', () => {
  it('makes one account with a key of each kind, and nothing the second time (D19)', async () => {
    const { ledger } = openLedger()
    const first = await ledger.bootstrap('preset_af_heart')
    expect(first?.account).toMatchObject({
      tts: { limit: 100_000, resetInterval: 'month', resetIntervalCount: 1 },
      stt: { limit: 100_000 },
    })
    expect(first?.admin.key.permissions).toEqual(EVERY_PERMISSION)
    expect(first?.voice.key.voiceId).toBe('preset_af_heart')
    expect(first?.stt.key.kind).toBe('stt')
    expect(await ledger.bootstrap('preset_af_heart')).toBeUndefined()
    expect(ledger.listAccounts()).toHaveLength(1)
  })

  it('happens once when two nodes start at once', async () => {
    const { ledger } = openLedger()
    const starts = await Promise.all([ledger.bootstrap('preset_af_heart'), ledger.bootstrap('preset_af_heart')])
    expect(starts.filter((start) => start !== undefined)).toHaveLength(1)
  })
})

describe('the data folder', () => {
  it('holds no plaintext of any key, token or idempotency key', async () => {
    const { ledger, folder } = openLedger()
    const first = await ledger.bootstrap('preset_af_heart')
    if (first === undefined) throw new Error('an empty ledger was expected')
    const secrets = [first.admin, first.voice, first.stt].map(({ plaintext }) => plaintext)
    for (const secret of secrets) ledger.findKey(secret)
    const keyId = first.voice.key.id
    for (const id of ['one', 'two']) {
      const outcome = await ledger.issueToken({ id, keyId, meter: 'tts', characters: 5 }, 'preset_af_heart')
      if (outcome.status === 'issued') secrets.push(outcome.token)
    }
    await ledger.spendToken(secrets.at(-1) ?? '')
    await ledger.beginIdempotent(keyId, 'an idempotency key of the caller', 'hash', 'req_1')
    secrets.push('an idempotency key of the caller')
    await ledger.close()

    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const bytes = Buffer.concat(files.map((file) => readFileSync(join(file.parentPath, file.name))))
    expect(bytes.includes(first.account.id)).toBe(true)
    expect(secrets).toHaveLength(6)
    for (const secret of secrets) {
      expect(bytes.includes(secret)).toBe(false)
      expect(bytes.includes(secret.slice(-20))).toBe(false)
    }
  })

  it('keeps a secret for each name, the same after a restart', async () => {
    const { ledger, folder, clock } = openLedger()
    const [one, again, other] = await Promise.all([ledger.secret('a'), ledger.secret('a'), ledger.secret('b')])
    expect(one).toHaveLength(32)
    expect(again).toEqual(one)
    expect(other).not.toEqual(one)
    await ledger.close()
    expect(await openLedger(folder, clock).ledger.secret('a')).toEqual(one)
  })
})
