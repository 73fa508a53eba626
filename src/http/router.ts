import type { Route } from '../api/exchange.ts'

export type Routing =
  | { readonly status: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly status: 'wrong_method'; readonly allow: string }
  | { readonly status: 'unknown_path' }

/** Which endpoint answers a request. A GET endpoint answers HEAD too. */
export class Router {
  readonly #paths: PathRoutes[] = []

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      let routesOfPath = this.#paths.find((known) => known.pattern.join('/') === route.path)
      if (routesOfPath === undefined) {
        routesOfPath = { pattern: route.path.split('/'), byMethod: new Map() }
        this.#paths.push(routesOfPath)
      }
      if (routesOfPath.byMethod.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`)
      routesOfPath.byMethod.set(route.method, route)
    }
    // `/voices/mine` before `/voices/:id`, in whichever order they were declared.
    this.#paths.sort((a, b) => parameters(a) - parameters(b))
  }

  find(method: string, segments: readonly string[]): Routing {
    for (const { pattern, byMethod } of this.#paths) {
      const params = matchSegments(pattern, segments)
      if (params === undefined) continue
      const route = byMethod.get(method === 'HEAD' ? 'GET' : method)
      if (route !== undefined) return { status: 'found', route, params }
      return { status: 'wrong_method', allow: allowedMethods(byMethod) }
    }
    return { status: 'unknown_path' }
  }
}

interface PathRoutes {
  readonly pattern: readonly string[]
  readonly byMethod: Map<string, Route>
}

function parameters(path: PathRoutes): number {
  return path.pattern.filter((segment) => segment.startsWith(':')).length
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== segments.length) return undefined
  let params: Record<string, string> | undefined
  for (let i = 0; i < pattern.length; i++) {
    const expected = pattern[i] ?? ''
    const actual = segments[i] ?? ''
    if (expected.startsWith(':') && actual !== '') {
      params ??= {}
      params[expected.slice(1)] = actual
    } else if (expected !== actual) return undefined
  }
  return params ?? NO_PARAMS
}

function allowedMethods(byMethod: ReadonlyMap<string, Route>): string {
  const methods = [...byMethod.keys()]
  if (byMethod.has('GET')) methods.push('HEAD')
  return [...methods, 'OPTIONS'].join(', ')
}
