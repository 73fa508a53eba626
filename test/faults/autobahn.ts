import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { programPath } from '../programs.ts'

const WSTEST = fileURLToPath(new URL('patient_wstest.py', import.meta.url))
/** Waits of its own for a server. Here they only bound a failure. */
const TIMEOUT_SECONDS = 30
const OPTIONS = {
  openHandshakeTimeout: TIMEOUT_SECONDS,
  closeHandshakeTimeout: TIMEOUT_SECONDS,
  serverConnectionDropTimeout: TIMEOUT_SECONDS,
}

/** A socket to try the cases on, each over a connection of its own. */
export interface Server {
  /** Its name in the reports, in small letters. */
  readonly agent: string
  readonly url: string
  /** One a case, each in its turn in place of `{token}` in `url`. */
  readonly tokens?: readonly string[]
  /** Text sent before the frames of each case. */
  readonly first?: string
  /** Whether the frames wait for an answer to that, which is not in the report. */
  readonly answers?: boolean
}

export interface Cases {
  /** Numbers as Autobahn writes them; `*` stands for anything. */
  readonly cases: readonly string[]
  readonly without?: readonly string[]
  /** By agent: cases that are not tried on it. */
  readonly skipped?: Readonly<Record<string, readonly string[]>>
}

/** What Autobahn says of one case. */
export interface Report {
  readonly id: string
  /** Of the messages: `OK`, `NON-STRICT`, `FAILED`, `UNIMPLEMENTED`, `INFORMATIONAL`. */
  readonly behavior: string
  /** Of the end: `OK`, or what was wrong with it. */
  readonly behaviorClose: string
  readonly received: readonly Happening[]
  /** By the verdict that each would have led to. */
  readonly expected: Readonly<Record<string, readonly Happening[]>>
  /** `closedByMe`: Autobahn begins the closing. */
  readonly expectedClose: { readonly closedByMe: boolean }
  readonly closedByMe: boolean
  /** Autobahn's patience came to its end. */
  readonly failedByMe: boolean
  readonly remoteCloseCode: number | null
  /** Head of the answer to the upgrade. */
  readonly httpResponse: string
}

/** Kind (`message`, `pong`, `timeout`: a moment at which the connection still stood), beginning of its text, whether it is binary. */
export type Happening = readonly [kind: string, text: string, isBinary?: boolean]

/** Runs cases on servers; returns the reports by agent. The first case that ends by Autobahn's patience is the last. */
export async function fuzz(servers: readonly Server[], cases: Cases): Promise<Map<string, Report[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-autobahn-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const specification = {
    ...{ outdir: folder, servers, options: OPTIONS, cases: cases.cases },
    ...{ 'exclude-cases': cases.without ?? [], 'exclude-agent-cases': cases.skipped ?? {} },
  }
  const file = join(folder, 'specification.json')
  await writeFile(file, JSON.stringify(specification))
  const output = await run(['-m', 'fuzzingclient', '-s', file])
  const index = await readFile(join(folder, 'index.json'), 'utf8').catch(() => {
    throw new Error(`no reports:\n${output}`)
  })
  const reports = new Map<string, Report[]>()
  for (const [agent, ran] of Object.entries(JSON.parse(index) as Record<string, object>)) {
    const read = async (id: string) =>
      JSON.parse(await readFile(join(folder, `${agent}_case_${id.replaceAll('.', '_')}.json`), 'utf8')) as Report
    reports.set(agent, await Promise.all(Object.keys(ran).map(read)))
  }
  return reports
}

/** Resolves with what it printed. */
async function run(args: readonly string[]): Promise<string> {
  const wstest = await realpath(programPath('wstest') ?? '')
  // Its own Python lies beside it.
  const child = spawn(join(dirname(wstest), 'python2'), [WSTEST, ...args])
  onTestFinished(() => {
    child.kill()
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      output += bytes
    })
  }
  await once(child, 'close')
  return output
}
