import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { LmdbLedger } from '../../src/ledger/lmdb-ledger.ts'
import { UNLIMITED } from '../../src/limits.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { FakeClock } from '../fake-clock.ts'
import { temporaryFolder } from '../ledger/temporary-ledger.ts'
import { waitFor } from '../wait-for.ts'
import { CommandLine } from './command-line.ts'

const NOW = '2026-05-20T12:00:00.000Z'

function openCommandLine() {
  const clock = new FakeClock(Date.parse(NOW))
  return { clock, syrinx: new CommandLine(join(temporaryFolder(), 'data'), clock) }
}

async function openWithAccount() {
  const { clock, syrinx } = openCommandLine()
  const account = await syrinx.json('account', 'create', '--name', 'Studio')
  return { clock, syrinx, accountId: String(account.id) }
}

describe('syrinx account', () => {
  it('create makes an account with the quotas given, and the folder with it', async () => {
    const { syrinx } = openCommandLine()
    const quotas = ['--tts-quota', '500', '--stt-quota', 'unlimited', '--interval', 'week', '--interval-count', '2']
    expect(await syrinx.json('account', 'create', '--name', 'Studio', ...quotas)).toEqual({
      id: expect.stringMatching(/^acct_[a-z2-7]{20}$/),
      name: 'Studio',
      created_at: NOW,
      disabled: false,
      tts: {
        ...{ limit: 500, used: 0, remaining: 500, unlimited: false },
        ...{ reset_date: '2026-06-03T12:00:00.000Z', reset_interval: 'week', reset_interval_count: 2 },
      },
      stt: {
        ...{ limit: UNLIMITED, used: 0, remaining: UNLIMITED, unlimited: true },
        ...{ reset_date: '2026-06-03T12:00:00.000Z', reset_interval: 'week', reset_interval_count: 2 },
      },
    })
  })

  it('show and list answer with what is there', async () => {
    const { syrinx, accountId } = await openWithAccount()
    const shown = await syrinx.json('account', 'show', accountId)
    expect(shown).toMatchObject({ id: accountId, tts: { limit: 100_000, reset_interval: 'month' } })
    expect(await syrinx.json('account', 'list')).toEqual({ accounts: [shown] })
  })

  it('set changes only what is given; disable and enable say what is so', async () => {
    const { syrinx, accountId } = await openWithAccount()
    expect(await syrinx.json('account', 'set', accountId, '--tts-quota', '0')).toMatchObject({
      ...{ name: 'Studio', tts: { limit: 0 }, stt: { limit: 100_000 } },
    })
    expect(await syrinx.json('account', 'set', accountId, '--name', 'New')).toMatchObject({
      name: 'New',
      tts: { limit: 0 },
    })
    expect(await syrinx.json('account', 'disable', accountId)).toMatchObject({ disabled: true, name: 'New' })
    expect(await syrinx.json('account', 'enable', accountId)).toMatchObject({ disabled: false })
  })

  it('prints a table to people', async () => {
    const { syrinx, accountId } = await openWithAccount()
    const { out } = await syrinx.run('account', 'list')
    expect(out).toMatch(/account +name +status/)
    expect(out).toMatch(new RegExp(`${accountId} +Studio +active +0 of 100000 +0 of 100000 +2026-06-20`))
  })
})

describe('syrinx key', () => {
  it('create shows the secret of a key that works, once', async () => {
    const { syrinx, clock, accountId } = await openWithAccount()
    const given = ['--account', accountId, '--kind', 'voice', '--name', 'Reader', '--voice', 'preset_af_heart']
    const more = ['--credit-limit', '900', '--expires', '2026-12-31', '--scopes', 'usage.read,tts.generate']
    const created = await syrinx.json('key', 'create', ...given, ...more)
    expect(created).toEqual({
      ...{ id: expect.stringMatching(/^key_/), key: expect.stringMatching(/^vc_sk_live_/), account_id: accountId },
      ...{ kind: 'voice', name: 'Reader', prefix: 'vc_sk_live_', last_four: String(created.key).slice(-4) },
      ...{ scopes: ['tts.generate', 'usage.read'], status: 'active', voice_id: 'preset_af_heart', permissions: null },
      ...{ created_at: NOW, last_used_at: null, expires_at: '2026-12-31T00:00:00.000Z' },
      ...{ credit_limit: 900, credit_used: 0, credit_remaining: 900 },
    })

    const { key, ...listed } = created
    expect(await syrinx.json('key', 'list')).toEqual({ keys: [listed] })
    expect((await syrinx.run('key', 'list')).out).not.toContain(String(key))
    const ledger = LmdbLedger.open(syrinx.folder, clock, systemRandom)
    expect(ledger.findKey(String(key))?.id).toBe(created.id)
    await ledger.close()
  })

  it('create takes the permissions of an admin key, and gives all where none are given', async () => {
    const { syrinx, accountId } = await openWithAccount()
    const create = (...more: string[]) =>
      syrinx.json('key', 'create', '--account', accountId, '--kind', 'admin', '--name', 'A', ...more)
    const permissions = {
      ...{ endpoints: { tts: true, stt: false }, audioUpload: false, keyManagement: true },
      ...{ voiceScope: 'custom', voiceIds: ['preset_af_heart'] },
    }
    expect(await create('--permissions', JSON.stringify(permissions))).toMatchObject({ permissions, scopes: [] })
    expect(await create()).toMatchObject({ permissions: { keyManagement: true, voiceScope: 'all' } })
  })

  it('list takes one account; set changes the ceiling; revoke ends a key; a date ends one too', async () => {
    const { syrinx, clock, accountId } = await openWithAccount()
    const other = await syrinx.json('account', 'create', '--name', 'Other')
    const stt = ['--kind', 'stt', '--name', 'Ears']
    const first = await syrinx.json('key', 'create', '--account', accountId, ...stt)
    const second = await syrinx.json('key', 'create', '--account', String(other.id), ...stt, '--expires', '2026-05-21')
    expect(await syrinx.json('key', 'list', '--account', accountId)).toMatchObject({ keys: [{ id: first.id }] })
    expect(await syrinx.json('key', 'set', String(first.id), '--credit-limit', '5')).toMatchObject({ credit_limit: 5 })
    expect(await syrinx.json('key', 'set', String(first.id), '--credit-limit', 'none')).toMatchObject({
      ...{ credit_limit: null, credit_remaining: null },
    })
    expect(await syrinx.json('key', 'revoke', String(first.id))).toMatchObject({ status: 'revoked' })
    clock.jump(24 * 60 * 60 * 1000)
    const { keys } = await syrinx.json('key', 'list')
    expect(keys).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: first.id, status: 'revoked' }),
        expect.objectContaining({ id: second.id, status: 'expired' }),
      ]),
    )
  })
})

describe('syrinx voice list', () => {
  it('names every preset voice and the default, without a ledger', async () => {
    const { syrinx } = openCommandLine()
    const { voices } = await syrinx.json('voice', 'list')
    expect(voices).toHaveLength(54)
    expect(voices).toContainEqual({
      ...{
        voice_id: 'preset_af_heart',
        name: 'Heart',
        language: 'en',
        accent: 'american',
        gender: 'female',
        default: true,
      },
    })
    expect((await syrinx.run('voice', 'list')).out).toMatch(/preset_bf_emma +Emma +en +british +female/)
    expect(existsSync(syrinx.folder)).toBe(false)
  })

  it('asks for an account that exists', async () => {
    const { syrinx, accountId } = await openWithAccount()
    expect((await syrinx.json('voice', 'list', '--account', accountId)).voices).toHaveLength(54)
    expect(await syrinx.run('voice', 'list', '--account', 'acct_x')).toMatchObject({ exitCode: 1 })
  })
})

describe('voices that accounts have enrolled', () => {
  const VOICE = 'voice_aaaaaaaaaaaaaaaaaaaa'

  async function openWithVoice() {
    const opened = await openWithAccount()
    const { syrinx, clock, accountId } = opened
    const admin = await syrinx.json('key', 'create', '--account', accountId, '--kind', 'admin', '--name', 'A')
    const other = await syrinx.json('account', 'create', '--name', 'Other')
    const change = async (work: (ledger: LmdbLedger) => Promise<unknown>) => {
      const ledger = LmdbLedger.open(syrinx.folder, clock, systemRandom)
      await work(ledger)
      await ledger.close()
    }
    const texts = { name: 'Grace', gender: 'female', description: 'calm', fileName: 'grace.wav' } as const
    const voice = { id: VOICE, accountId, ...texts, fileSize: 9, sha256: 'ab' }
    await change((ledger) => ledger.enrollVoice(voice, String(admin.id)))
    return { ...opened, change, keyId: String(admin.id), otherId: String(other.id) }
  }

  it('are listed, of all accounts or of one', async () => {
    const { syrinx, accountId, otherId } = await openWithVoice()
    const listed = {
      ...{ voice_id: VOICE, name: 'Grace', language: null, accent: null, gender: 'female', default: false },
      ...{ account_id: accountId, description: 'calm', file_name: 'grace.wav', file_size: 9, sha256: 'ab' },
      created_at: NOW,
    }
    const custom = async (...more: string[]) => {
      const { voices } = await syrinx.json('voice', 'list', ...more)
      return Array.isArray(voices) && voices.slice(54)
    }
    expect(await custom()).toEqual([listed])
    expect(await custom('--account', accountId)).toEqual([listed])
    expect(await custom('--account', otherId)).toEqual([])
    expect((await syrinx.run('voice', 'list')).out).toMatch(new RegExp(`${VOICE} +Grace +female +${accountId}`))
  })

  it('can’t steer the terminal by their names', async () => {
    const { syrinx, change, accountId, keyId } = await openWithVoice()
    const name = 'a\u001b[2Jb\nc'
    const more = { gender: 'other', description: '', fileName: '', fileSize: 9, sha256: 'cd' } as const
    await change((ledger) => ledger.enrollVoice({ id: 'voice_bbbbbbbbbbbbbbbbbbbb', accountId, name, ...more }, keyId))
    const { out } = await syrinx.run('voice', 'list')
    expect(out).toContain('a\ufffd[2Jb\ufffdc')
    expect(out).not.toContain('\u001b')
  })

  it('get keys of their own account, and of no other', async () => {
    const { syrinx, accountId, otherId } = await openWithVoice()
    const create = ['key', 'create', '--kind', 'voice', '--name', 'K', '--voice', VOICE, '--account']
    expect(await syrinx.json(...create, accountId)).toMatchObject({ voice_id: VOICE })
    expect(await syrinx.run(...create, otherId)).toMatchObject({
      ...{ exitCode: 2, err: `error: --voice must be a voice of \`syrinx voice list\`; ${VOICE} is none\n` },
    })
  })

  it('leave their consents behind', async () => {
    const { syrinx, change, clock, accountId, keyId, otherId } = await openWithVoice()
    const consent = { voice_id: VOICE, account_id: accountId, key_id: keyId, sha256: 'ab', at: NOW }
    expect(await syrinx.json('voice', 'consents')).toEqual({ consents: [{ ...consent, voice_deleted_at: null }] })
    clock.advance(60_000)
    await change((ledger) => ledger.deleteVoice(VOICE, accountId))
    const deleted = { ...consent, voice_deleted_at: '2026-05-20T12:01:00.000Z' }
    expect(await syrinx.json('voice', 'consents', '--account', accountId)).toEqual({ consents: [deleted] })
    expect(await syrinx.json('voice', 'consents', '--account', otherId)).toEqual({ consents: [] })
    expect((await syrinx.run('voice', 'consents')).out).toMatch(/voice deleted\n.*2026-05-20T12:01:00.000Z/)
    expect((await syrinx.json('voice', 'list')).voices).toHaveLength(54)
  })
})

describe('syrinx ledger', () => {
  async function openWithCharges() {
    const opened = await openWithAccount()
    const { syrinx, clock, accountId } = opened
    const { id } = await syrinx.json('key', 'create', '--account', accountId, '--kind', 'stt', '--name', 'Ears')
    const keyId = String(id)
    const ledger = LmdbLedger.open(syrinx.folder, clock, systemRandom)
    await ledger.charge({ id: 'req_1', keyId, meter: 'stt', characters: 7 })
    clock.jump(1_000)
    await ledger.charge({ id: 'req_2', keyId, meter: 'stt', characters: 8 })
    await ledger.close()
    return { ...opened, keyId }
  }

  it('verify says that the books balance', async () => {
    const { syrinx } = await openWithCharges()
    expect(await syrinx.json('ledger', 'verify')).toEqual({ ok: true, postings: 2, differences: [] })
    expect((await syrinx.run('ledger', 'verify')).out).toBe('2 postings add up to every balance.\n')
  })

  it('export prints a line of JSON a posting, from the moment given on', async () => {
    const { syrinx, accountId, keyId } = await openWithCharges()
    const lines = (out: string) =>
      out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    const all = await syrinx.run('ledger', 'export')
    const posting = { account_id: accountId, key_id: keyId, meter: 'stt', period: 0 }
    expect(lines(all.out)).toEqual([
      { ...posting, id: 'req_1', characters: 7, created_at: NOW },
      { ...posting, id: 'req_2', characters: 8, created_at: '2026-05-20T12:00:01.000Z' },
    ])
    expect((await syrinx.run('ledger', 'export', '--json')).out).toBe(all.out)
    const later = await syrinx.run('ledger', 'export', '--since', '2026-05-20T14:00:00.500+02:00')
    expect(lines(later.out)).toMatchObject([{ id: 'req_2' }])
  })
})

describe('wrong usage', () => {
  const create = ['key', 'create', '--kind', 'stt', '--name', 'K']
  it.each<[string, string[]]>([
    ['syrinx needs a command: account, key, voice, ledger', []],
    ['account needs a command: create, list, show, set, disable, enable', ['account']],
    ["unknown command 'lost'; ledger has verify, export", ['ledger', 'lost']],
    ["unknown option '--colour'", ['account', 'list', '--colour']],
    ["required option '--name <name>' not specified", ['account', 'create']],
    ["missing required argument 'id'", ['account', 'show']],
    [
      "option '--tts-quota <characters>' argument '-1' is invalid. It must be",
      ['account', 'create', '--name', 'A', '--tts-quota', '-1'],
    ],
    [
      "option '--interval <unit>' argument 'fortnight' is invalid. It must be one of day,",
      ['account', 'create', '--name', 'A', '--interval', 'fortnight'],
    ],
    [
      '--interval-count must be a whole number from 1 to 1000',
      ['account', 'create', '--name', 'A', '--interval-count', '0'],
    ],
    ['--name must not be empty', ['account', 'create', '--name', '']],
    ['--name or another option must say what to change', ['account', 'set', 'ID']],
    [
      "option '--kind <kind>' argument 'god' is invalid. It must be one of admin, voice, stt",
      ['key', 'create', '--account', 'ID', '--kind', 'god', '--name', 'K'],
    ],
    [
      '--voice is required for a key of kind voice',
      ['key', 'create', '--account', 'ID', '--kind', 'voice', '--name', 'K'],
    ],
    ['--voice must be a voice of `syrinx voice list`', [...create, '--account', 'ID', '--voice', 'preset_nobody']],
    ['--credit-limit must be a whole number of at least 1', [...create, '--account', 'ID', '--credit-limit', '0']],
    [
      "option '--credit-limit <characters>' argument '1e3' is invalid",
      [...create, '--account', 'ID', '--credit-limit', '1e3'],
    ],
    [
      "option '--expires <time>' argument '2027-01-01T00:00:00' is invalid. It must be an ISO 8601",
      [...create, '--account', 'ID', '--expires', '2027-01-01T00:00:00'],
    ],
    ['--expires must be in the future', [...create, '--account', 'ID', '--expires', '2026-05-20']],
    ["option '--scopes <list>' argument 'all' is invalid", [...create, '--account', 'ID', '--scopes', 'all']],
    [
      "option '--permissions <json>' argument '{' is invalid. It must be JSON",
      [...create, '--account', 'ID', '--permissions', '{'],
    ],
    [
      '--permissions endpoints must be an object',
      ['key', 'create', '--account', 'ID', '--kind', 'admin', '--name', 'K', '--permissions', '{}'],
    ],
    ["option '--since <time>' argument 'yesterday' is invalid", ['ledger', 'export', '--since', 'yesterday']],
    [
      '--data must name a folder that holds a ledger; there is none in /nowhere',
      ['account', 'list', '--data', '/nowhere'],
    ],
  ])('is one line that says: %s', async (message, argv) => {
    const { syrinx, accountId } = await openWithAccount()
    const { exitCode, out, err } = await syrinx.run(...argv.map((word) => (word === 'ID' ? accountId : word)))
    expect(err).toMatch(/^error: [^\n]+\n$/)
    expect(err).toContain(message)
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
  })

  it('is not what does not exist: that is a failure', async () => {
    const { syrinx } = await openWithAccount()
    for (const argv of [
      ['account', 'show', 'acct_x'],
      [...create, '--account', 'acct_x'],
      ['key', 'revoke', 'key_x'],
    ]) {
      const { exitCode, err } = await syrinx.run(...argv)
      expect(exitCode).toBe(1)
      expect(err).toMatch(/^error: There is no (account|key) (acct|key)_x\n$/)
    }
  })

  it('is not asking for help', async () => {
    const { syrinx } = openCommandLine()
    const { exitCode, out } = await syrinx.run('key', 'create', '--help')
    expect(exitCode).toBe(0)
    expect(out).toContain('--credit-limit')
  })
})

describe('the command in a process of its own', () => {
  const program = fileURLToPath(new URL('../../dist/src/cli/syrinx.js', import.meta.url))

  async function syrinx(folder: string, ...argv: string[]) {
    const child = spawn(process.execPath, [program, ...argv], { env: { ...process.env, SYRINX_DATA: folder } })
    let out = ''
    let err = ''
    child.stdout.on('data', (bytes: Buffer) => {
      out += bytes.toString()
    })
    child.stderr.on('data', (bytes: Buffer) => {
      err += bytes.toString()
    })
    const [exitCode] = await once(child, 'close')
    return { exitCode, out, err }
  }

  it('works beside a node that serves, which sees a revocation at once', async () => {
    const folder = temporaryFolder()
    const node = LmdbLedger.open(folder, new FakeClock(), systemRandom)
    const first = await node.bootstrap('preset_af_heart')
    if (first === undefined) throw new Error('an empty ledger was expected')
    const busy = new AbortController()
    let charges = 0
    const serving = (async () => {
      while (!busy.signal.aborted) {
        const charge = { id: `req_${charges}`, keyId: first.admin.key.id, meter: 'tts' as const, characters: 1 }
        expect(await node.charge(charge)).toEqual({ status: 'charged' })
        charges += 1
      }
    })()

    const listed = await syrinx(folder, 'key', 'list', '--json')
    expect(JSON.parse(listed.out).keys).toHaveLength(3)
    const revoked = await syrinx(folder, 'key', 'revoke', first.voice.key.id, '--json')
    expect(revoked).toMatchObject({ exitCode: 0, err: '' })
    await waitFor(() => node.findKey(first.voice.plaintext)?.status === 'revoked', 'the revocation')
    const verified = await syrinx(folder, 'ledger', 'verify', '--json')
    expect(JSON.parse(verified.out)).toMatchObject({ ok: true })
    busy.abort()
    await serving
    expect(node.verify()).toMatchObject({ ok: true, postings: charges })
    await node.close()
  })

  it('exits 2 on wrong usage', async () => {
    const { exitCode, out, err } = await syrinx(temporaryFolder(), 'account', 'create')
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
    expect(err).toBe("error: required option '--name <name>' not specified\n")
  })
})
