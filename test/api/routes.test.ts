import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { routes } from '../../src/api/routes.ts'
import { contractSection } from '../contract.ts'
import { TestNode } from './test-node.ts'

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(() => node.stop())

describe('the routes', () => {
  it('follow the contract’s order, and then come those beside it', () => {
    const { requests, sockets } = routes(node.services)
    const ours = requests.map(({ method, path }) => `${method} ${path}`)
    const headings = contractSection('Endpoints').matchAll(/^### (\w+ \S+)/gm)
    const contract = [...headings].map(([, heading = '']) => heading.replace(/\{(\w+)\}/, ':$1'))
    expect(ours.filter((route) => contract.includes(route))).toEqual(contract.filter((route) => ours.includes(route)))
    expect(ours.filter((route) => !contract.includes(route))).toEqual([
      'GET /audio/:file',
      'GET /healthz',
      'GET /readyz',
      'GET /metrics',
      'GET /openapi.json',
      'GET /asyncapi.json',
    ])
    expect(sockets.map(({ path }) => path)).toEqual(['/ws/tts/stream', '/api/public/v1/stt/ws'])
    for (const { path } of sockets)
      expect(contractSection('Endpoints')).toMatch(new RegExp(`^### WS (\\{\\w+\\})?${path}\\?token=`, 'm'))
  })

  it('hold every endpoint of the contract', () => {
    const ours = routes(node.services).requests.map(({ method, path }) => `${method} ${path}`)
    const headings = contractSection('Endpoints').matchAll(/^### (\w+ \/api\/v1\/\S*)/gm)
    const contract = [...headings].map(([, heading = '']) => heading.replace(/\{(\w+)\}/, ':$1'))
    expect(contract).toHaveLength(9)
    expect(contract.filter((heading) => !ours.includes(heading))).toEqual([])
  })
})

describe('health (D32)', () => {
  const ask = (path: string) => node.call('GET', path, undefined, { key: null })

  it('is 200 as long as the process answers', async () => {
    node.lifecycle.ready = false
    node.lifecycle.draining = true
    expect([(await ask('/healthz')).status, (await ask('/healthz')).json]).toEqual([
      200,
      { ok: true, data: { status: 'ok' } },
    ])
  })

  it.each([
    [true, false, 200],
    [false, false, 503],
    [true, true, 503],
    [false, true, 503],
  ])('is ready: %j while draining: %j → %i', async (ready, draining, status) => {
    node.lifecycle.ready = ready
    node.lifecycle.draining = draining
    const response = await ask('/readyz')
    expect([response.status, response.json.ok]).toEqual([status, status === 200])
    if (status === 503) expect(response.json.error.code).toBe('BACKEND_ERROR')
  })
})
