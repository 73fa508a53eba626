import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { UNLIMITED } from '../../src/limits.ts'
import { startWholeNode, type WholeNode } from '../whole-node.ts'

const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url))
/** Requests between two enrollments' worth of time. */
const MINUTE_MS = 60_000

it('keeps to its OpenAPI document whatever is sent to it', async () => {
  const node = await startWholeNode({}, { openAi: { speechModel: 'scripted' } })
  await node.inner.ledger.setAccount(node.inner.accountId, { ttsQuota: UNLIMITED, sttQuota: UNLIMITED })
  const { code, output } = await schemathesis(node)
  expect(code, output).toBe(0)
})

async function schemathesis(node: WholeNode): Promise<{ code: number; output: string }> {
  const { adminKey, voiceKey, sttKey } = node.inner
  const child = spawn('schemathesis', ['--config-file', CONFIG, 'run', `http://127.0.0.1:${node.port}/openapi.json`], {
    env: { ...process.env, ADMIN_KEY: adminKey, VOICE_KEY: voiceKey, STT_KEY: sttKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (bytes: Buffer) => {
    output += bytes
    makeRoom(node)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const room = setInterval(() => makeRoom(node), 5)
  const [code] = await once(child, 'close')
  clearInterval(room)
  return { code, output }
}

function makeRoom({ inner }: WholeNode): void {
  inner.clock.advance(MINUTE_MS)
}
