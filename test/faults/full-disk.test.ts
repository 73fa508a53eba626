import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type NodeUnderTest, startNode } from '../../bench/node-under-test.ts'
import { LmdbLedger } from '../../src/ledger/lmdb-ledger.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { Client } from '../e2e/client.ts'
import { waitFor } from '../wait-for.ts'

/** Gives the command behind it a data folder of 80 MiB that only it sees. */
const SMALL_DISK = ['unshare', '-Urm', 'sh', '-c', 'mount -t tmpfs -o size=80m tmpfs "$SYRINX_DATA" && exec "$@"', 'sh']
const SPEECH = { text: 'A sentence for a file.', format: 'wav' }

let dataDir = ''
let node: NodeUnderTest
/** The data folder as the node sees it. */
let inside = ''
let ledger: LmdbLedger
let keyId = ''
let sttKey = ''
let client: Client

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'syrinx-small-'))
  node = await startNode({ SYRINX_DATA: dataDir, SYRINX_WORKERS: '1' }, SMALL_DISK)
  inside = join('/proc', String(node.pid), 'root', dataDir)
  ledger = LmdbLedger.open(inside, systemClock, systemRandom)
  const { id: accountId } = await ledger.createAccount({
    name: 'small',
    ttsQuota: null,
    sttQuota: null,
    interval: 'month',
    intervalCount: 1,
  })
  const voice = await ledger.createKey({ accountId, kind: 'voice', name: 'small', voiceId: 'preset_af_heart' })
  keyId = voice.key.id
  sttKey = (await ledger.createKey({ accountId, kind: 'stt', name: 'small' })).plaintext
  client = new Client(node, voice.plaintext)
})

afterAll(async () => {
  await ledger.close()
  await node.end('SIGTERM')
  await rm(dataDir, { recursive: true, force: true })
})

const filler = () => join(inside, 'filler')

/** Takes all the room there is, to the last block. */
async function fill(): Promise<void> {
  for (let bytes = 2 ** 26; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    await writeFile(filler(), Buffer.alloc(bytes), { flag: 'a' }).catch((error: { code?: string }) => {
      expect(error.code).toBe('ENOSPC')
    })
  }
}

function upload(): Promise<Response> {
  const body = new FormData()
  body.append('audio', new Blob([Buffer.alloc(300_000)]), 'a.wav')
  const headers = { Authorization: `Bearer ${sttKey}` }
  return fetch(`${node.url}/api/v1/stt/transcriptions`, { method: 'POST', headers, body })
}

async function told(response: Response) {
  const { ok, error } = (await response.json()) as { ok: boolean; error?: { code: string } }
  return { status: response.status, ok, code: error?.code, retry: response.headers.get('retry-after') }
}

const generate = async () => told(await client.post('/api/v1/tts/generate', SPEECH))
const token = async () => told(await client.post('/api/v1/tts/stream-token', { text_length: 1 }))
const used = () => ledger.key(keyId)?.creditUsed

describe('a node whose disk is full', () => {
  it('refuses what needs room, free of charge, keeps its books, and goes on when there is room again', async () => {
    expect(await generate()).toMatchObject({ status: 200 })
    const paid = SPEECH.text.length
    expect(used()).toBe(paid)
    await fill()

    expect(await generate()).toEqual({ status: 503, ok: false, code: 'BACKEND_ERROR', retry: '60' })
    expect(await upload().then(told)).toEqual({ status: 503, ok: false, code: 'STT_UNAVAILABLE', retry: '2' })
    expect(used()).toBe(paid)

    // A debit needs room sooner or later, and then is not made.
    let debits = 0
    const tokens: Awaited<ReturnType<typeof token>>[] = []
    await waitFor(async () => {
      tokens.push(...(await Promise.all(Array.from({ length: 30 }, token))))
      return tokens.some(({ status }) => status === 500)
    }, 'a debit without room')
    for (const { status, code } of tokens) {
      if (status === 200) debits += 1
      else expect([500, 503]).toContain(status)
      if (status === 500) expect(code).toBe('INTERNAL_ERROR')
    }
    expect([used(), ledger.verify()]).toEqual([paid + debits, { ok: true, postings: 1 + debits, differences: [] }])
    expect((await fetch(`${node.url}/healthz`)).status).toBe(200)

    await rm(filler())
    expect(await generate()).toMatchObject({ status: 200 })
    await waitFor(async () => (await token()).status === 200, 'a debit')
    expect((await client.bytes({ text: 'And on it goes.' })).response.status).toBe(200)
    expect(ledger.verify()).toMatchObject({ ok: true, differences: [] })
  })
})
