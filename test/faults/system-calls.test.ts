import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type NodeUnderTest, startNode } from '../../bench/node-under-test.ts'
import { Client } from '../e2e/client.ts'
import { readTrace, type SystemCall, straceCommand } from './system-calls.ts'

/*
 * One node with the real models, watched by strace from its first moment to its last: what it asks of the system, and what of its
 * clients' secrets it lets out.
 */

const TEXT = 'The zanzibar lighthouse keeper whistles quietly.'
/** Words that a recogniser writes as they were spoken, and nobody else uses. */
const MARKS = ['zanzibar', 'lighthouse', 'whistle']

let folder = ''
let node: NodeUnderTest
const secrets: string[] = []
let figures = ''
let stored: Buffer[] = []
let answers = ''
let calls: SystemCall[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syrinx-watched-'))
  await mkdir(join(folder, 'home'))
  const modelsDir =
    process.env.SYRINX_MODELS ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'syrinx', 'models')
  const settings = {
    SYRINX_MODELS: modelsDir,
    SYRINX_LOG_LEVEL: 'trace',
    SYRINX_WORKERS: '1',
    HOME: join(folder, 'home'),
    XDG_CACHE_HOME: '',
  }
  node = await startNode({ ...settings, TMPDIR: folder }, straceCommand(join(folder, 'trace')))
  await useEverything()
  figures = await (await fetch(`${node.url}/metrics`)).text()
  stored = await filesBelow(node.dataDir, /\.(wav|mp3)$/)
  await node.end('SIGTERM')
  calls = readTrace(join(folder, 'trace'))
})

afterAll(async () => {
  await node.end('SIGKILL')
  await rm(node.dataDir, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
})

async function useEverything(): Promise<void> {
  const voiceKey = await node.voiceKey('preset_af_heart')
  const { id } = (await node.command('account', 'create', '--name', 'ears', '--stt-quota', 'unlimited')) as {
    id: string
  }
  const made = await node.command('key', 'create', '--account', id, '--kind', 'stt', '--name', 'ears')
  const sttKey = (made as { key: string }).key
  secrets.push(...[voiceKey, sttKey].map((key) => key.slice(-43)))
  const client = new Client(node, voiceKey)

  const { answer } = await client.generate({ text: TEXT })
  secrets.push(new URL(String(answer.audio_url)).searchParams.get('signature') ?? '')
  await client.sse({ text: TEXT })
  await client.socket({ text: TEXT })
  for (let i = 0; i < 5; i++) {
    const paid = await client.post('/api/v1/tts/stream-token', { text_length: 10 })
    secrets.push(((await paid.json()) as { data: { stream_token: string } }).data.stream_token)
  }
  const wav = Buffer.from(await (await client.post('/api/v1/tts/bytes', { text: TEXT, format: 'wav' })).arrayBuffer())
  for (const query of ['', '?stream=true']) {
    const body = new FormData()
    body.append('audio', new Blob([wav]), `${MARKS[0]}.wav`)
    const heard = await fetch(`${node.url}/api/v1/stt/transcriptions${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${sttKey}` },
      body,
    })
    answers += await heard.text()
  }
  // Secrets in all the wrong places.
  const [token = ''] = secrets.slice(-1)
  const wrong = [
    client.post('/api/v1/tts/bytes', { text: TEXT, format: TEXT, speed: TEXT, language: TEXT }),
    fetch(`${node.url}/api/v1/tts/bytes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${voiceKey}` },
      body: `{"text":"${TEXT}`,
    }),
    fetch(`${node.url}/api/v1/tts/bytes`, { method: 'POST', headers: { Authorization: voiceKey }, body: TEXT }),
    fetch(`${node.url}/api/v1/usage?api_key=${voiceKey}&token=${token}`),
    fetch(`${node.url}/api/v1/keys/${voiceKey}`),
    fetch(`${node.url}/api/v1/usage`, { headers: { Authorization: `Bearer ${sttKey}` } }),
    fetch(`${node.url}/ws/tts/stream?token=${token}`),
    fetch(`${node.url}/audio/${'a'.repeat(26)}.wav?expires=1&signature=${secrets[2]}`),
  ]
  for (const response of await Promise.all(wrong)) expect(response.status).toBeGreaterThanOrEqual(400)
}

async function filesBelow(root: string, besides: RegExp): Promise<Buffer[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !besides.test(entry.name))
  return Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))))
}

/** Whether it opens a connection, or a file for writing, or changes a folder. */
const CHANGES =
  /^(?:creat|mkdir(?:at)?|rename(?:at2?)?|unlink(?:at)?|link(?:at)?|symlink(?:at)?)\(|O_WRONLY|O_RDWR|O_CREAT/

describe('a node that has spoken and listened', () => {
  it('let an answer that says what it cost go only when the debit was on disk (promise 1)', () => {
    const isLedger = ({ text }: SystemCall) => text.includes('/ledger/data.mdb>')
    let [paidAnswers, written, synced, confirmed] = [0, 0, 0, 0]
    for (const [at, call] of calls.entries()) {
      const isDone = call.stage !== 'begun' && (call.result ?? -1) >= 0
      if (call.name === 'recvfrom' && call.text.includes('POST /api/v1/tts/')) [written, synced, confirmed] = [0, 0, 0]
      // First the pages, then a flush, then the page that makes them count, which is written through.
      if (isLedger(call) && /^p?writev?/.test(call.name)) {
        if (synced > written) confirmed = isDone ? at : confirmed
        else written = at
      }
      if (isLedger(call) && call.name === 'fdatasync' && isDone) synced = at
      if (call.name !== 'sendto' || call.stage === 'ended' || !call.text.includes('HTTP/1.1 200')) continue
      if (written === 0) continue
      expect([written < synced, synced < confirmed, call.text.slice(0, 80)]).toEqual([true, true, expect.any(String)])
      paidAnswers += 1
      written = 0
    }
    // One generate, three streams with their tokens, five tokens, one file.
    expect(paidAnswers).toBeGreaterThanOrEqual(8)
    const through = calls.filter((call) => isLedger(call) && call.name === 'openat' && call.text.includes('O_DSYNC'))
    expect(through.length).toBeGreaterThan(0)
  })

  it('connected to nobody, and listened only where it was told to', () => {
    // Threads and child processes talk through pairs of sockets, which need neither.
    const connected = calls.filter(({ name, text }) => name === 'connect' && !/AF_UNIX.*ENOENT/.test(text))
    expect(connected.map(({ text }) => text)).toEqual([])
    const bound = calls.filter(({ name }) => name === 'bind')
    expect(bound.filter(({ text }) => !text.includes('inet_addr("127.0.0.1")')).map(({ text }) => text)).toEqual([])
  })

  it('wrote nowhere but below its data folder', () => {
    const changes = calls.filter(
      ({ text, stage, result }) => CHANGES.test(text) && stage !== 'begun' && (result ?? -1) >= 0,
    )
    expect(changes.length).toBeGreaterThan(5)
    const elsewhere = changes.filter(
      ({ text }) => !text.includes(node.dataDir) && !/"\/dev\/(null|tty|urandom)"/.test(text),
    )
    expect(elsewhere.map(({ text }) => text)).toEqual([])
  })

  it('keeps what it stores from other users of the machine', async () => {
    for (const name of ['ledger', 'audio', 'spool']) {
      expect([name, (await stat(join(node.dataDir, name))).mode & 0o077]).toEqual([name, 0])
    }
  })

  it('let no key, token, signature, text or transcript into a log, a figure or a file (promise 7, D30)', () => {
    expect(secrets.length).toBeGreaterThan(7)
    for (const mark of MARKS) expect(answers.toLowerCase()).toContain(mark)
    const places = [node.printed.join('\n'), figures, ...stored.map((file) => file.toString('latin1'))]
    expect(node.printed.length).toBeGreaterThan(20)
    const found = [...secrets, ...MARKS].flatMap((secret) =>
      places.flatMap((place, i) =>
        place.toLowerCase().includes(secret.toLowerCase()) ? [`${secret} in place ${i}`] : [],
      ),
    )
    expect(found).toEqual([])
  })
})
