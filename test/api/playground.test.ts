import { afterEach, expect, it } from 'vitest'
import { routes } from '../../src/api/routes.ts'
import { TestNode } from './test-node.ts'

const PAGE = { html: '<!doctype html><title>ünï</title>', etag: '"abc"', contentSecurityPolicy: "default-src 'none'" }

let node: TestNode
afterEach(() => node.stop())

it('GET / is the page, to anyone, with a policy that keeps everything else out (D32)', async () => {
  node = await TestNode.start({ playground: PAGE })
  const response = await node.call('GET', '/', undefined, { key: null })
  expect([response.status, response.bytes.toString()]).toEqual([200, PAGE.html])
  expect(response.headers).toMatchObject({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'",
    'Cache-Control': 'no-cache',
    ETag: '"abc"',
    'Permissions-Policy': 'microphone=(self)',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  })
})

it('GET / sends nothing to whom has it', async () => {
  node = await TestNode.start({ playground: PAGE })
  for (const tag of ['"abc"', '"other", W/"abc"', '*']) {
    const response = await node.call('GET', '/', undefined, { key: null, headers: { 'if-none-match': tag } })
    expect([response.status, response.bytes.length]).toEqual([304, 0])
  }
  const other = await node.call('GET', '/', undefined, { key: null, headers: { 'if-none-match': '"other"' } })
  expect(other.status).toBe(200)
})

it('there is no page where it is switched off', async () => {
  node = await TestNode.start({ playground: undefined })
  expect(routes(node.services).requests.map(({ path }) => path)).not.toContain('/')
})
