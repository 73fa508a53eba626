import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startNode } from '../../bench/node-under-test.ts'
import { waitFor } from '../wait-for.ts'
import { Client } from './client.ts'

const TEXT = 'The river turned again towards the hills, and nobody who lived there could say why it did. '.repeat(6)

describe('the end of a node', () => {
  it('lets a stream that runs finish on SIGTERM, refuses new work, and leaves with its books in order', async () => {
    // However slow the machine, the stream is to end by itself.
    const node = await startNode({ SYRINX_DRAIN_SECONDS: '300' })
    const client = new Client(node, await node.voiceKey('preset_af_heart'))
    const seen: string[] = []
    let ended: Promise<number | null> | undefined
    for await (const { event } of client.events({ text: TEXT })) {
      seen.push(event)
      if (seen.length === 2) {
        ended = node.end('SIGTERM')
        await client.notReady()
        // Whichever comes first, the refusal or the closed door: nothing new is served.
        const status = await client.post('/api/v1/tts/bytes', { text: 'Too late.' }).then(
          (response) => response.status,
          () => 503,
        )
        expect(status).toBe(503)
      }
    }
    expect([seen[0], seen.at(-1)]).toEqual(['start', 'done'])
    expect(await ended).toBe(0)
    expect(await node.command('ledger', 'verify')).toMatchObject({ ok: true, postings: 1 })
  })

  it('keeps what was paid for when it is killed in the middle of a stream, and starts again', async () => {
    const node = await startNode()
    const key = await node.voiceKey('preset_af_heart')
    try {
      for await (const { event } of new Client(node, key).events({ text: TEXT })) {
        if (event === 'audio') void node.end('SIGKILL')
      }
    } catch {
      // The connection was cut, as it should be.
    }
    await node.end('SIGKILL')
    expect(await node.command('ledger', 'verify')).toMatchObject({ ok: true, postings: 1 })

    const again = await startNode({ SYRINX_DATA: node.dataDir })
    expect((await new Client(again, key).usage()).used).toBe(TEXT.length)
    await again.stop()
  })

  it('ends at once on SIGTERM while it waits for models, as the first process of a container too', async () => {
    const modelsDir = await mkdtemp(join(tmpdir(), 'syrinx-waiting-'))
    onTestFinished(() => rm(modelsDir, { recursive: true, force: true }))
    // The lock of somebody who is still fetching, and for as long as this test may take.
    const lock = join(modelsDir, '.lock')
    await mkdir(lock)
    await utimes(lock, 2 ** 31, 2 ** 31)
    const child = serve({ SYRINX_MODELS: modelsDir, SYRINX_DATA: join(modelsDir, 'data') })
    child.stdout.resume()
    const ended = once(child, 'exit')
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.endsWith('waiting for it')) child.kill('SIGTERM')
    }
    // A process without a handler ends with the signal and no code.
    expect(await ended).toEqual([143, null])
  })

  it('waits on SIGTERM until threads have loaded their models, and then leaves without a word but its keys', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'syrinx-starting-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const child = serve({ SYRINX_DATA: dataDir })
    child.stderr.resume()
    const printed = text(child.stdout)
    const ended = once(child, 'exit')
    await waitFor(() => existsSync(join(dataDir, 'ledger')), 'the node to start')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(await printed).toMatch(/voice key +vc_sk_live_/)
    expect(await printed).not.toContain('listening on')
  })
})

/** A node of which nobody waits that it listens. */
function serve(settings: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['dist/src/cli/syrinx.js', 'serve'], {
    env: { ...process.env, ...settings, SYRINX_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}
