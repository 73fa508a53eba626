import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadPlayground } from '../../src/playground/load.ts'

const BUILT =
  '<style>p { margin: 0 }</style><script type="application/json" id="facts">{}</script>' +
  '<script type="module">start("$&")</script>'
const FACTS = { voices: [], languages: [{ code: 'x', name: '</script><b>$1' }], modes: [], wsUrl: undefined }

let folder: string
let file: URL

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syrinx-page-'))
  file = pathToFileURL(join(folder, 'page.html'))
  await writeFile(file, BUILT)
})

afterAll(() => rm(folder, { recursive: true }))

it('the page is told what its node can do, in data that no browser runs', async () => {
  const { html } = await loadPlayground(FACTS, file)
  const [, json = ''] = /id="facts">([^<]*)<\/script>/.exec(html) ?? []
  expect(JSON.parse(json)).toEqual({ voices: [], languages: FACTS.languages, modes: [] })
})

it('the policy allows the page’s own style and script by their hashes, its own node, and nothing else', async () => {
  const { contentSecurityPolicy } = await loadPlayground(FACTS, file)
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  expect(contentSecurityPolicy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src ${hash('start("$&")')} blob:`,
    `style-src ${hash('p { margin: 0 }')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
})

it('sockets at another address are allowed where the node says they are there', async () => {
  const facts = { ...FACTS, wsUrl: 'wss://speech.example.com/live' }
  const { contentSecurityPolicy } = await loadPlayground(facts, file)
  expect(contentSecurityPolicy).toContain("connect-src 'self' wss://speech.example.com;")
})

it('the tag changes with the page', async () => {
  const tags = await Promise.all(
    [FACTS, FACTS, { ...FACTS, modes: FACTS.languages }].map((f) => loadPlayground(f, file)),
  )
  const [first, same, other] = tags.map(({ etag }) => etag)
  expect(first).toMatch(/^"[A-Za-z0-9+/]{22}"$/)
  expect(same).toBe(first)
  expect(other).not.toBe(first)
})
