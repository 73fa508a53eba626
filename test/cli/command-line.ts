import { registerAccount } from '../../src/cli/account.ts'
import { registerKey } from '../../src/cli/key.ts'
import { registerLedger } from '../../src/cli/ledger.ts'
import { createProgram, run } from '../../src/cli/program.ts'
import { registerVoice } from '../../src/cli/voice.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import type { FakeClock } from '../fake-clock.ts'

export interface Ran {
  readonly exitCode: number
  readonly out: string
  readonly err: string
}

/** The command line without a process, over one data folder. */
export class CommandLine {
  readonly folder: string
  readonly #clock: FakeClock

  constructor(folder: string, clock: FakeClock) {
    this.folder = folder
    this.#clock = clock
  }

  async run(...argv: string[]): Promise<Ran> {
    let out = ''
    let err = ''
    const output = {
      out: async (text: string) => {
        out += text
      },
      err: (text: string) => {
        err += text
      },
    }
    const program = createProgram(output)
    const context = { output, clock: this.#clock, random: systemRandom, dataDir: () => this.folder }
    for (const register of [registerAccount, registerKey, registerVoice, registerLedger]) register(program, context)
    return { exitCode: await run(program, argv, output), out, err }
  }

  /** Runs with `--json`, expects success and silence on stderr, and returns the one document. */
  async json(...argv: string[]): Promise<Record<string, unknown>> {
    const { exitCode, out, err } = await this.run(...argv, '--json')
    if (exitCode !== 0 || err !== '') throw new Error(`exit ${exitCode}: ${err}`)
    if (out.split('\n').length !== 2) throw new Error(`one line was expected: ${out}`)
    return JSON.parse(out)
  }
}
