import { describe, expect, it } from 'vitest'
import type { Route } from '../../src/api/exchange.ts'
import { Router } from '../../src/http/router.ts'

const route = (method: Route['method'], path: string): Route => ({ method, path, handle: () => {} })
const router = new Router([
  route('GET', '/voices/:id'),
  route('DELETE', '/voices/:id'),
  route('GET', '/voices/mine'),
  route('POST', '/a/:x/b/:y'),
])
const find = (method: string, path: string) => router.find(method, path.split('/'))

describe('a router', () => {
  it('prefers a path in full to one with parameters, in whichever order they were declared', () => {
    expect(find('GET', '/voices/mine')).toMatchObject({ status: 'found', route: { path: '/voices/mine' }, params: {} })
    expect(find('GET', '/voices/other')).toMatchObject({ route: { path: '/voices/:id' }, params: { id: 'other' } })
  })

  it('collects every parameter', () => {
    expect(find('POST', '/a/1/b/2')).toMatchObject({ params: { x: '1', y: '2' } })
  })

  it('does not take an empty segment for a parameter, nor a longer or shorter path', () => {
    for (const path of ['/voices/', '/voices', '/voices/a/b', '//voices/a', '']) {
      expect(find('GET', path)).toEqual({ status: 'unknown_path' })
    }
  })

  it('names the methods of a path when the method is wrong', () => {
    expect(find('POST', '/voices/a')).toEqual({ status: 'wrong_method', allow: 'GET, DELETE, HEAD, OPTIONS' })
    expect(find('get', '/voices/mine')).toEqual({ status: 'wrong_method', allow: 'GET, HEAD, OPTIONS' })
  })

  it('refuses two endpoints for one method and path', () => {
    expect(() => new Router([route('GET', '/x'), route('GET', '/x')])).toThrow('two routes for GET /x')
  })
})
