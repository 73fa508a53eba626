import { onTestFinished } from 'vitest'
import * as edgeErrors from '../src/api/edge-errors.ts'
import { renderError } from '../src/api/errors.ts'
import { routes } from '../src/api/routes.ts'
import type { Services } from '../src/api/services.ts'
import { createHttpServer, type HttpServer } from '../src/http/app.ts'
import type { HttpLimits } from '../src/http/limits.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { Metrics } from '../src/runtime/metrics.ts'
import { systemRandom } from '../src/runtime/random.ts'
import { TestNode } from './api/test-node.ts'
import { waitFor } from './wait-for.ts'

export interface WholeNode {
  /** Behind the endpoints: ledger, scripts of the engines, log lines. */
  readonly inner: TestNode
  readonly server: HttpServer
  readonly port: number
  readonly metrics: Metrics
  /** Requests and sockets that are over, whatever their outcome. */
  readonly ended: () => number
  /** Sum of a figure over all its labels, as `/metrics` would say it now. */
  figure(name: string): Promise<number>
  /** Resolves when nothing of any request is left: no place, stream, file, or byte for a slow reader. */
  quiet(): Promise<void>
}

/**
 * Every endpoint over real sockets, a real ledger and real files, on a port of 127.0.0.1; it stops with the test. Only the engines
 * are scripted, and the endpoints' clock is turned by hand.
 */
export async function startWholeNode(
  limits: Partial<HttpLimits> = {},
  overrides: Partial<Services> = {},
): Promise<WholeNode> {
  const metrics = new Metrics()
  const inner = await TestNode.start({ observer: metrics.service, exposition: metrics, ...overrides }, metrics.ledger)
  const { services } = inner
  const { requests, sockets } = routes(services)
  let ended = 0
  const server = createHttpServer({
    routes: requests,
    sockets,
    clock: systemClock,
    random: systemRandom,
    log: services.log,
    renderError: (error, exchange) => renderError(error, exchange, services.log, metrics.service),
    errors: edgeErrors,
    observer: {
      answered(route, method, status) {
        ended += 1
        metrics.requests.answered(route, method, status)
      },
    },
    spool: inner.spool,
    limits,
  })
  const { port } = await server.listen('127.0.0.1', 0)
  onTestFinished(async () => {
    inner.lifecycle.stop()
    await server.drain(0)
    await inner.stop()
  })
  const figure = async (name: string) => sumOf(await metrics.text(), name)
  const left = async () => {
    const held = {
      open: server.openCount,
      places: inner.admission.held,
      speaking: inner.synthesizer.running,
      listening: inner.recognizer.running,
      spooled: inner.spool.usedBytes,
      refining: inner.refiner.count,
    }
    // All figures take milliseconds to write down.
    if (Object.values(held).some((count) => count !== 0)) return held
    const exposition = await metrics.text()
    const figures = ['streams_open', 'microphones_open', 'stream_buffered_bytes']
    return Object.fromEntries(figures.map((name) => [name, sumOf(exposition, `syrinx_${name}`)]))
  }
  const quiet = async () => {
    let seen = {}
    const isQuiet = async () => {
      seen = await left()
      return Object.values(seen).every((count) => count === 0)
    }
    await waitFor(isQuiet, 'the node to be quiet').catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(seen)}`)
    })
  }
  return { inner, server, port, metrics, ended: () => ended, figure, quiet }
}

function sumOf(exposition: string, name: string): number {
  const values = exposition
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)))
  return values.reduce((sum, value) => sum + value, 0)
}
