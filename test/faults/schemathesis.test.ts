import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { ENROLLMENTS_PER_MINUTE_MAX, UNLIMITED } from '../../src/limits.ts'
import { startWholeNode, type WholeNode } from '../whole-node.ts'

const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url))
const HOOKS = fileURLToPath(new URL('schemathesis_hooks.py', import.meta.url))
/** Fewer than an account may have. */
const VOICES_KEPT = 15

it('a node does as its OpenAPI document says, whatever is made of it', async () => {
  const node = await startWholeNode({}, { openAi: { speechModel: 'scripted' } })
  await node.inner.ledger.setAccount(node.inner.accountId, { ttsQuota: UNLIMITED, sttQuota: UNLIMITED })
  letEnroll(node.inner)
  const { code, output } = await schemathesis(node)
  expect(code, output).toBe(0)
  // Or all would be well because nothing was ever asked for in earnest.
  expect(await neverServed(node)).toEqual([])
  await node.quiet()
})

/** Enrollments find their account with room for another, and time since the last one. */
function letEnroll({ ledger, clock, services }: WholeNode['inner']): void {
  const begin = ledger.beginEnrollment.bind(ledger)
  vi.spyOn(ledger, 'beginEnrollment').mockImplementation(async (accountId) => {
    clock.advance(60_000 / ENROLLMENTS_PER_MINUTE_MAX)
    for (const { id } of ledger.voicesOf(accountId).slice(0, -VOICES_KEPT)) {
      await ledger.deleteVoice(id, accountId)
      await services.voiceFiles.remove(id)
    }
    return begin(accountId)
  })
}

async function schemathesis({ inner, port }: WholeNode): Promise<{ code: number; output: string }> {
  const { adminKey, voiceKey, sttKey } = inner
  const name = await inner.services.audioFiles.store(Buffer.alloc(500, 7), 'mp3')
  const { searchParams: link } = new URL(inner.services.audioFiles.link(name), 'http://node.test')
  const env = {
    ...{ ...process.env, HOOKS, ADMIN_KEY: adminKey, VOICE_KEY: voiceKey, STT_KEY: sttKey },
    ...{ AUDIO_FILE: name, AUDIO_EXPIRES: link.get('expires') ?? '', AUDIO_SIGNATURE: link.get('signature') ?? '' },
  }
  const args = ['--config-file', CONFIG, 'run', `http://127.0.0.1:${port}/openapi.json`]
  // It keeps notes where it runs; this folder goes with the test.
  const child = spawn('schemathesis', args, { env, cwd: dirname(inner.audioFolder) })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      output += bytes
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

/** Documented endpoints that have never answered with success. */
async function neverServed({ port, metrics }: WholeNode): Promise<string[]> {
  const document = (await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json()) as Document
  const text = await metrics.text()
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path: path.replace(/{(\w+)}/, ':$1') })),
  )
  return documented
    .filter(({ method, path }) => !text.includes(`route="${path}",method="${method}",status="2xx"`))
    .map(({ method, path }) => `${method} ${path}`)
}

interface Document {
  readonly paths: Readonly<Record<string, object>>
}
