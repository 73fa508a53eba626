import type { Log } from '../../src/runtime/log.ts'
import { STYLE_CLASSES } from '../../src/speech/style-classes.ts'
import { FakeClock } from '../fake-clock.ts'
import { settled } from '../inference/scripted-pool.ts'
import { Chance } from './chance.ts'
import { Books } from './checkers/books.ts'
import { Conversations } from './checkers/conversations.ts'
import { Tasks } from './checkers/tasks.ts'
import { Voices } from './checkers/voices.ts'
import { Clips } from './enrolling.ts'
import { inhabit } from './inhabitants.ts'
import { Life } from './life.ts'
import { Network } from './network.ts'
import { CONDITIONING, SimulatedNode, VOICES } from './node.ts'
import { FileDisk, mountFiles } from './simulated-files.ts'
import { LedgerDisk, mountLedger } from './simulated-lmdb.ts'
import { areVoicesRefined, drawWeather, isCalm, type Weather } from './weather.ts'

/** More than any world needs to come to rest. */
const STEPS_MAX = 200_000
const START_OF_TIME = Date.UTC(2026, 4, 20, 12)
/** A voice's file: its styles say nothing here. */
const VOICE_BYTES = new Uint8Array(510 * 256 * 4)
/** Faults may hit a start, too. */
const STARTS_MAX = 2_000
const TRACE_SHOWN = 40

export interface Outcome {
  readonly seed: number
  /** Everything that happened, a line each. */
  readonly trace: readonly string[]
  /** The first promise that was broken. */
  readonly broken: string | undefined
}

/** Runs one world from its seed until nothing happens in it any more. */
export async function runWorld(seed: number): Promise<Outcome> {
  const world = new World(seed)
  await world.run()
  return { seed, trace: world.trace, broken: world.broken }
}

/** The last things that happened before a promise was broken, and how to see them again. */
export function describeOutcome({ seed, trace, broken }: Outcome): string {
  return [`${broken}`, `SEED=${seed} replays it`, ...trace.slice(-TRACE_SHOWN)].join('\n')
}

/** One seed's clients, network, disks, workers and clock around the node, and whoever checks what it does. */
export class World {
  readonly clock = new FakeClock(START_OF_TIME)
  readonly chance: Chance
  readonly weather: Weather
  readonly trace: string[] = []
  readonly ledgerDisk: LedgerDisk
  readonly files: FileDisk
  readonly books: Books
  readonly tasks: Tasks
  readonly conversations: Conversations
  readonly voices: Voices
  readonly network: Network
  readonly clips = new Clips()
  /** The latest wall time there ever was. */
  wallMax = START_OF_TIME
  node: SimulatedNode | undefined
  broken: string | undefined
  #life: Life
  /** Files of processes that died. */
  readonly #orphans = new Set<string>()
  #inhabitants = 0
  #numbers = 0

  constructor(seed: number) {
    this.chance = new Chance(seed)
    this.weather = drawWeather(this.chance)
    this.#life = new Life(this.clock)
    this.ledgerDisk = new LedgerDisk(this.chance, { ...this.weather.commits, refusedShare: 0 })
    this.files = new FileDisk(this.chance, this.#life, this.weather.diskMs)
    this.#installVoices()
    this.books = new Books(this)
    this.tasks = new Tasks(this)
    this.conversations = new Conversations(this)
    this.voices = new Voices(this)
    this.network = new Network(this)
    this.ledgerDisk.onCommit = (written) => {
      this.books.committed(written)
      this.voices.committed(written)
    }
    mountLedger(this.ledgerDisk)
    mountFiles(this.files)
  }

  async run(): Promise<void> {
    this.note(`weather ${JSON.stringify(this.weather)}`)
    this.populate(inhabit(this))
    for (let steps = 0; this.broken === undefined && this.clock.step(); steps++) {
      await settled()
      this.wallMax = Math.max(this.wallMax, this.clock.now())
      this.tasks.look()
      if (steps === STEPS_MAX) this.fail('the world does not come to rest')
    }
    if (this.broken === undefined) this.#atRest()
  }

  /** Somebody who lives here until `life` resolves. */
  populate(life: Promise<void>): void {
    this.#inhabitants += 1
    life.then(
      () => {
        this.#inhabitants -= 1
      },
      (error: unknown) => this.fail(`an inhabitant stumbled: ${error instanceof Error ? error.stack : String(error)}`),
    )
  }

  /** One that nobody else in this world has. */
  nextNumber(): number {
    this.#numbers += 1
    return this.#numbers
  }

  note(line: string): void {
    this.trace.push(`${this.clock.monotonic().toFixed(3)} ${line}`)
  }

  fail(message: string): void {
    this.note(`BROKEN: ${message}`)
    this.broken ??= message
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.after(ms, resolve))
  }

  /** A process begins, and another where that fails; resolves when one is ready. */
  async boot(): Promise<void> {
    for (let tries = 0; this.node === undefined; tries++) {
      if (tries === STARTS_MAX) throw new Error('the node can not be started')
      try {
        await this.#boot()
      } catch (error) {
        this.note(`the start failed: ${error}`)
        this.kill()
        await this.sleep(1_000)
      }
    }
  }

  async #boot(): Promise<void> {
    const life = new Life(this.clock)
    this.#life = life
    this.files.caller = life
    this.note('the node starts')
    const node = await SimulatedNode.start({
      life,
      chance: this.chance,
      ledgerDisk: this.ledgerDisk,
      machine: this.weather.machine,
      log: this.#log(),
      watchTasks: (runner, pool) => this.tasks.watch(runner, pool),
    })
    this.node = node
    this.books.verify(node.ledger)
    for (const path of this.files.files.keys()) {
      if (path.endsWith('.spool')) this.fail(`${path} outlived the process that made it`)
    }
    this.voices.look()
    this.note('the node is ready')
  }

  /** `kill -9`. */
  kill(): void {
    this.note('the node dies')
    this.#life.end()
    this.node = undefined
    this.ledgerDisk.abandon(this.#life)
    this.network.lose()
    this.tasks.forget()
    // They go with the first sweep that finds them a day old.
    for (const path of this.files.files.keys()) this.#orphans.add(path)
  }

  #installVoices(): void {
    for (const voice of ['af_heart', 'bf_emma']) {
      this.files.put(`${VOICES}/${voice}.bin`, VOICE_BYTES)
      for (const { row } of this.weather.isCalibrated ? STYLE_CLASSES : []) {
        this.files.put(`${CONDITIONING}/${voice}-${row}.f32`, new Uint8Array(4))
      }
    }
  }

  #atRest(): void {
    if (this.#inhabitants > 0) this.fail(`${this.#inhabitants} inhabitants wait for what never comes`)
    this.books.close()
    if (isCalm(this.weather)) this.tasks.requireInTime()
    if (this.node === undefined) return
    this.books.verify(this.node.ledger)
    this.voices.look()
    if (areVoicesRefined(this.weather)) this.voices.requireRefined()
    for (const [what, count] of Object.entries(this.node.held)) {
      if (count !== 0) this.fail(`at rest the node holds ${count} ${what}`)
    }
    for (const path of this.files.files.keys()) {
      if (/\.(part|spool)$/.test(path) && !this.#orphans.has(path)) this.fail(`at rest ${path} is left behind`)
    }
  }

  #log(): Log {
    const line = (fields: object, message: string) => {
      this.note(`log: ${message} ${JSON.stringify(fields, (name, value) => (name === 'stack' ? undefined : value))}`)
    }
    return { debug() {}, info() {}, warn: line, error: line }
  }
}
