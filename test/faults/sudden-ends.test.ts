import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { type NodeUnderTest, startNode } from '../../bench/node-under-test.ts'
import { LmdbLedger } from '../../src/ledger/lmdb-ledger.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { Client } from '../e2e/client.ts'
import { waitFor } from '../wait-for.ts'

const ROUNDS = 3
const SETTINGS = { SYRINX_STT_ENGINE: 'off', SYRINX_WORKERS: '1' }
/** What the key may spend: reached in the last rounds. */
const CEILING = 2_000

/** What clients were told, over all lives of the node. */
interface Told {
  /** Characters by id of the request. */
  readonly charged: Map<string, number>
  readonly files: { readonly key: string; readonly requestId: string; readonly url: string }[]
  refused: number
}

it('a node killed under load again and again keeps every debit it told of, no other, and each key below its ceiling (promises 1 to 4, 6)', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'syrinx-killed-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const told: Told = { charged: new Map(), files: [], refused: 0 }
  let key: { readonly id: string; readonly key: string } | undefined
  let spentToken: string | undefined
  for (let round = 0; round < ROUNDS; round++) {
    const node = await startNode({ ...SETTINGS, SYRINX_DATA: dataDir })
    key ??= await cappedKey(node)
    const client = new Client(node, key.key)
    if (spentToken !== undefined) expect(await closeCodeOf(node, spentToken)).toBe(4401)
    await expectRepeatable(node, client, told)

    spentToken = await spend(node, client, told)
    const before = told.charged.size
    const load = loadUntilCut(client, told, round)
    // Each life ends somewhere else in its work.
    await waitFor(() => told.charged.size > before + 11 + 29 * round || told.refused > 20, 'debits')
    await node.end('SIGKILL')
    await load
    expect(await node.command('ledger', 'verify')).toMatchObject({ ok: true, differences: [] })
    expectBooks(dataDir, key.id, told)
  }
  expect(told.charged.size).toBeGreaterThan(100)
})

async function cappedKey(node: NodeUnderTest): Promise<{ id: string; key: string }> {
  const account = await node.command('account', 'create', '--name', 'killed', '--tts-quota', 'unlimited')
  const { id } = account as { id: string }
  const words = ['--account', id, '--kind', 'voice', '--voice', 'preset_af_heart', '--name', 'killed']
  return (await node.command('key', 'create', ...words, '--credit-limit', String(CEILING))) as {
    id: string
    key: string
  }
}

/** A token of this life that has opened its socket, which said no start and so was refused. */
async function spend(node: NodeUnderTest, client: Client, told: Told): Promise<string> {
  const response = await client.post('/api/v1/tts/stream-token', { text_length: 1 })
  const { data } = (await response.json()) as { data: { stream_token: string } }
  told.charged.set(response.headers.get('x-request-id') ?? '', 1)
  expect(await closeCodeOf(node, data.stream_token)).toBe(4400)
  return data.stream_token
}

/** Asks for all kinds of paid work at once until the node is gone. */
async function loadUntilCut(client: Client, told: Told, round: number): Promise<void> {
  const forever = async (work: (i: number) => Promise<void>) => {
    try {
      for (let i = 0; ; i++) await work(i)
    } catch {
      // The node is gone.
    }
  }
  const charge = (response: Response, characters: number) => {
    const id = response.headers.get('x-request-id') ?? ''
    if (response.ok) told.charged.set(id, characters)
    // A busy machine has no room now and then: that is asked again.
    else if (response.status === 403) told.refused += 1
    return response.ok
  }
  await Promise.all([
    ...Array.from({ length: 4 }, (_, worker) =>
      forever(async (i) => {
        const characters = 1 + ((worker + i) % 37)
        const response = await client.post('/api/v1/tts/stream-token', { text_length: characters })
        charge(response, characters)
        await response.text()
      }),
    ),
    forever(async (i) => {
      const key = `round ${round}, file ${i}`
      const text = `File ${i}.`
      const response = await client.post('/api/v1/tts/generate', { text, format: 'wav' }, { 'Idempotency-Key': key })
      const { data } = (await response.json()) as { data: { request_id: string; audio_url: string } }
      if (charge(response, text.length)) told.files.push({ key, requestId: data.request_id, url: data.audio_url })
    }),
  ])
}

/** A repeated request gets the answer of a former life of the node, at the same price of nothing, and its file is still there. */
async function expectRepeatable(node: NodeUnderTest, client: Client, { files }: Told): Promise<void> {
  const file = files.at(-1)
  if (file === undefined) return
  const used = (await client.usage()).key.credit_used
  const body = { text: `File ${file.key.split(' ').at(-1)}.`, format: 'wav' }
  const again = await client.post('/api/v1/tts/generate', body, { 'Idempotency-Key': file.key })
  const { data } = (await again.json()) as { data: { request_id: string } }
  expect(data.request_id).toBe(file.requestId)
  expect((await client.usage()).key.credit_used).toBe(used)
  const { pathname, search } = new URL(file.url)
  expect((await fetch(`${node.url}${pathname}${search}`)).status).toBe(200)
}

function expectBooks(dataDir: string, keyId: string, told: Told): void {
  const ledger = LmdbLedger.open(dataDir, systemClock, systemRandom)
  onTestFinished(() => ledger.close())
  const postings = new Map([...ledger.exportPostings()].map(({ id, characters }) => [id, characters]))
  const lost = [...told.charged].filter(([id, characters]) => postings.get(id) !== characters)
  expect(lost).toEqual([])
  const used = ledger.key(keyId)?.creditUsed ?? Number.NaN
  expect(used).toBe([...postings.values()].reduce((sum, characters) => sum + characters, 0))
  expect(used).toBeLessThanOrEqual(CEILING)
}

/** Opens the socket with this token, says what is no start, and resolves with the code of its close. */
function closeCodeOf(node: NodeUnderTest, token: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${node.url.replace('http', 'ws')}/ws/tts/stream?token=${token}`)
    socket.on('open', () => socket.send('no start'))
    socket.on('close', (code) => resolve(code))
    socket.on('error', () => {})
  })
}
