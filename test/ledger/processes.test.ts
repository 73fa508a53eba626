import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { addAccount, openLedger, openWithKey, temporaryFolder } from './temporary-ledger.ts'

const SCRIPT = fileURLToPath(new URL('charging-process.mjs', import.meta.url))

/** One `charging-process.mjs` and what it has said so far. */
class Charger {
  readonly lines: string[] = []
  readonly #process: ChildProcess
  readonly #ended: Promise<unknown>
  #errors = ''
  #rest = ''

  constructor(folder: string, keyId: string, name: string, inFlight: number, charges: number, shell = 'exec "$@"') {
    const command = [process.execPath, SCRIPT, folder, keyId, name, String(inFlight), String(charges)]
    this.#process = spawn('sh', ['-c', shell, 'sh', ...command], { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#ended = once(this.#process, 'close')
    this.#process.stderr?.on('data', (bytes: Buffer) => {
      this.#errors += bytes.toString()
    })
    this.#process.stdout?.on('data', (bytes: Buffer) => {
      const lines = (this.#rest + bytes.toString()).split('\n')
      this.#rest = lines.pop() ?? ''
      this.lines.push(...lines)
    })
    onTestFinished(() => this.kill())
  }

  async ready(): Promise<void> {
    await waitFor(() => this.lines.includes('ready') || this.#process.exitCode !== null, 'the process to be ready')
    expect(this.#errors).toBe('')
  }

  go(): void {
    this.#process.stdin?.write('go\n')
  }

  /** Resolves when the process has come to its own end with every answer said. */
  async ended(): Promise<void> {
    await this.#ended
    expect({ last: this.lines.at(-1), code: this.#process.exitCode, signal: this.#process.signalCode }).toEqual({
      ...{ last: 'end', code: 0, signal: null },
    })
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#ended
  }

  /** Charges that were answered with `status`, by id. */
  answers(status: string): Map<string, number> {
    const answers = this.lines.map((line) => line.split(' ')).filter(([first]) => first === status)
    return new Map(answers.map(([, id = '', characters]) => [id, Number(characters)]))
  }
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0)

describe('several processes', () => {
  it.each([
    ['ceiling', { ttsQuota: null }, { creditLimit: 1_500 }, 'key_credit_exceeded'],
    ['quota', { ttsQuota: 1_500 }, {}, 'quota_exceeded'],
  ])('charging at once never pass a %s, and spend all of it', async (_name, account, options, refusal) => {
    const { ledger, folder, key, accountId } = await openWithKey(account, options)
    const chargers = ['a', 'b'].map((name) => new Charger(folder, key.id, name, 200, 400))
    await Promise.all(chargers.map((charger) => charger.ready()))
    for (const charger of chargers) charger.go()
    await Promise.all(chargers.map((charger) => charger.ended()))

    const charged = chargers.flatMap((charger) => [...charger.answers('charged').values()])
    const refused = chargers.flatMap((charger) => [...charger.answers(refusal).values()])
    expect(chargers.flatMap(({ lines }) => lines.filter((line) => line.startsWith('failed')))).toEqual([])
    expect(charged.length + refused.length).toBe(800)
    // Single characters were asked for until the very end, so nothing can be left over.
    expect(sum(charged)).toBe(1_500)
    expect(ledger.key(key.id)?.creditUsed).toBe(1_500)
    expect(ledger.account(accountId)?.tts.used).toBe(1_500)
    expect(ledger.verify()).toEqual({ ok: true, postings: charged.length, differences: [] })
  })

  it('charging under the same ids charge each id once', async () => {
    const { ledger, folder, key } = await openWithKey({ ttsQuota: null })
    const chargers = ['same', 'same'].map((name) => new Charger(folder, key.id, name, 50, 200))
    await Promise.all(chargers.map((charger) => charger.ready()))
    for (const charger of chargers) charger.go()
    await Promise.all(chargers.map((charger) => charger.ended()))
    for (const charger of chargers) expect(charger.answers('charged').size).toBe(200)
    expect(ledger.verify()).toMatchObject({ ok: true, postings: 200 })
  })

  it('see a key made and revoked by another at once', async () => {
    const folder = temporaryFolder()
    const node = openLedger(folder).ledger
    const { plaintext, key } = await addAccount(openLedger(folder).ledger)
    await waitFor(() => node.findKey(plaintext)?.status === 'active', 'the key')
    await openLedger(folder).ledger.revokeKey(key.id)
    await waitFor(() => node.findKey(plaintext)?.status === 'revoked', 'the revocation')
  })
})

describe('a process killed while it charges', () => {
  it('again and again loses no charge it had acknowledged and leaves the books balanced', async () => {
    const { ledger, folder, key } = await openWithKey({ ttsQuota: null })
    const acknowledged = new Set<string>()
    for (let kill = 0; kill < 10; kill++) {
      const charger = new Charger(folder, key.id, `run${kill}`, 1 + 8 * kill, 1_000_000)
      await charger.ready()
      charger.go()
      await waitFor(() => charger.answers('charged').size > 17 * kill, 'charges')
      await charger.kill()
      for (const id of charger.answers('charged').keys()) acknowledged.add(id)

      // The same lock and the same file, held open throughout by this process.
      expect(await ledger.charge({ id: `after${kill}`, keyId: key.id, meter: 'tts', characters: 1 })).toEqual({
        status: 'charged',
      })
      expect(ledger.verify()).toMatchObject({ ok: true, differences: [] })
    }
    const posted = new Set([...ledger.exportPostings()].map(({ id }) => id))
    expect([...acknowledged].filter((id) => !posted.has(id))).toEqual([])
    expect(acknowledged.size).toBeGreaterThan(10)
  })
})

describe('a disk that takes no more', () => {
  it('fails the charges it cannot keep, and no other, and charging goes on once there is room', async () => {
    const { ledger, folder, key } = await openWithKey({ ttsQuota: null })
    const limited = new Charger(folder, key.id, 'full', 8, 3_000, 'ulimit -f 600 && exec "$@"')
    await limited.ready()
    limited.go()
    await limited.ended()
    const charged = limited.answers('charged')
    const failures = limited.lines.filter((line) => line.startsWith('failed'))
    expect(failures.length).toBe(3_000 - charged.size)
    expect(new Set(failures)).toEqual(new Set(['failed StoreFailed']))
    expect(charged.size).toBeGreaterThan(10)

    expect(ledger.verify()).toEqual({ ok: true, postings: charged.size, differences: [] })
    expect(ledger.key(key.id)?.creditUsed).toBe(sum(charged.values()))
    const after = { id: 'after', keyId: key.id, meter: 'tts' as const, characters: 1 }
    expect(await ledger.charge(after)).toEqual({ status: 'charged' })
  })
})
