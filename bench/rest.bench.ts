import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as edgeErrors from '../src/api/edge-errors.ts'
import { renderError } from '../src/api/errors.ts'
import type { Exchange, Route } from '../src/api/exchange.ts'
import { usage } from '../src/api/usage.ts'
import { createHttpServer } from '../src/http/app.ts'
import { LmdbLedger } from '../src/ledger/lmdb-ledger.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { silentLog } from '../src/runtime/log.ts'
import { systemRandom } from '../src/runtime/random.ts'
import { Spool } from '../src/runtime/spool.ts'
import { createNodeHttpServer } from './node-http-edge.ts'
import type { Load, LoadResult } from './rest-load.ts'
import { figure, median, percentile } from './statistics.ts'
import type { BenchTable } from './table.ts'

const CONNECTIONS = 64
const ROUNDS = 6
const ROUND_MS = 1_500

/** What is asked, again and again, and of which endpoints. */
export interface RestSubject {
  readonly name: string
  readonly routes: readonly Route[]
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
}

/**
 * Requests a second through uWebSockets.js and through node:http, the same endpoints behind both. The two take turns in
 * short rounds with the same client, whose process shares the machine with the server's; the ratio is the result. CPU time
 * is that of this process alone, so it does not depend on how fast the client is.
 */
export async function restBench(): Promise<BenchTable> {
  const folder = mkdtempSync(join(tmpdir(), 'syrinx-bench-'))
  const ledger = LmdbLedger.open(folder, systemClock, systemRandom)
  try {
    return await measureSubjects(await ledgerSubjects(ledger))
  } finally {
    await ledger.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function measureSubjects(subjects: readonly RestSubject[]): Promise<BenchTable> {
  const client = startClient()
  try {
    const rows: (string | number)[][] = []
    for (const subject of subjects) rows.push(...(await compare(subject, client)))
    return {
      title: 'Requests through uWebSockets.js and node:http',
      columns: ['request', 'network', 'requests/s', 'ratio', 'p50 ms', 'p99 ms', 'server CPU, µs a request', 'ratio'],
      rows,
      notes: [
        `${CONNECTIONS} connections, one request in flight on each; medians of ${ROUNDS} rounds of ${ROUND_MS} ms that take turns.`,
        'Aim: 1.5 times the requests of node:http. The client spends about as much as the server and shares the cores with it, so requests a second understate the difference; CPU time a request does not.',
      ],
    }
  } finally {
    client.stop()
  }
}

/** The cheapest answer, the contract's cheapest endpoint, and what a stranger gets. */
async function ledgerSubjects(ledger: LmdbLedger): Promise<RestSubject[]> {
  const first = await ledger.bootstrap('preset_af_heart')
  if (first === undefined) throw new Error('the bench needs an empty folder')
  // All that this endpoint asks of the node.
  const routes = [usage({ ledger, clock: systemClock })]
  const hello: Route = {
    method: 'GET',
    path: '/hello',
    handle: (exchange) => exchange.reply(200, { 'Content-Type': 'application/json' }, '{"ok":true}'),
  }
  const path = '/api/v1/usage'
  return [
    { name: 'a fixed JSON reply', routes: [hello], path: '/hello', headers: {}, status: 200 },
    {
      name: 'GET /api/v1/usage',
      routes,
      path,
      headers: { Authorization: `Bearer ${first.voice.plaintext}` },
      status: 200,
    },
    {
      name: 'the same, unknown key (401)',
      routes,
      path,
      headers: { Authorization: 'Bearer vc_sk_live_no' },
      status: 401,
    },
  ]
}

async function compare(subject: RestSubject, client: Client): Promise<(string | number)[][]> {
  const render = (error: unknown, exchange: Exchange) => renderError(error, exchange, silentLog)
  const node = createNodeHttpServer(subject.routes, silentLog, render).listen(0, '127.0.0.1')
  await once(node, 'listening')
  const address = node.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const folder = mkdtempSync(join(tmpdir(), 'syrinx-bench-'))
  const uws = createHttpServer({
    routes: subject.routes,
    sockets: [],
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    renderError: render,
    errors: edgeErrors,
    spool: await Spool.open(folder, 0, systemRandom),
  })
  const ports = { uws: (await uws.listen('127.0.0.1', 0)).port, node: address.port }

  const rounds: Record<keyof typeof ports, Round[]> = { uws: [], node: [] }
  for (let round = -1; round < ROUNDS; round++) {
    for (const network of ['uws', 'node'] as const) {
      const measured = await measure(client, loadOf(subject, ports[network]))
      // The first round of each warms up both sides.
      if (round >= 0) rounds[network].push(measured)
    }
  }
  node.closeAllConnections()
  node.close()
  await uws.drain(0)
  rmSync(folder, { recursive: true, force: true })

  const rate = (round: Round) => round.perSecond
  const cost = (round: Round) => round.cpuMicroseconds
  const ratio = (of: (round: Round) => number) =>
    figure(median(rounds.uws.map((round, i) => of(round) / of(rounds.node[i] ?? round))))
  const row = (name: string, network: string, measured: readonly Round[], ratios: readonly [string, string]) => {
    const times = measured.flatMap((round) => round.milliseconds)
    const perSecond = Math.round(median(measured.map(rate)))
    const latency = [figure(percentile(times, 0.5)), figure(percentile(times, 0.99))]
    return [name, network, perSecond, ratios[0], ...latency, figure(median(measured.map(cost))), ratios[1]]
  }
  return [
    row(subject.name, 'uWebSockets.js', rounds.uws, [ratio(rate), ratio(cost)]),
    row('', 'node:http', rounds.node, ['1', '1']),
  ]
}

interface Round {
  readonly perSecond: number
  readonly milliseconds: readonly number[]
  readonly cpuMicroseconds: number
}

function loadOf({ path, headers, status }: RestSubject, port: number): Load {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
  return { port, request, status, connections: CONNECTIONS, durationMs: ROUND_MS }
}

async function measure(client: Client, load: Load): Promise<Round> {
  const before = process.cpuUsage()
  const result = await client.run(load)
  const { user, system } = process.cpuUsage(before)
  return {
    perSecond: result.requests / (result.elapsedMs / 1_000),
    milliseconds: result.milliseconds,
    cpuMicroseconds: (user + system) / result.requests,
  }
}

interface Client {
  run(load: Load): Promise<LoadResult>
  stop(): void
}

function startClient(): Client {
  const child = fork(fileURLToPath(new URL('./rest-load.js', import.meta.url)))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the client ended with ${code}`)
  })
  ended.catch(() => {})
  return {
    async run(load) {
      const [result] = await Promise.race([once(child, 'message') as Promise<[LoadResult]>, send(load)])
      return result
    },
    stop: () => void child.kill(),
  }

  function send(load: Load): Promise<never> {
    child.send(load)
    return ended
  }
}
