#!/usr/bin/env node
import { forbidTelemetry, loadConfig } from '../config.ts'
import { systemClock } from '../runtime/clock.ts'
import { systemRandom } from '../runtime/random.ts'
import { registerAccount } from './account.ts'
import { registerKey } from './key.ts'
import { registerLedger } from './ledger.ts'
import type { CliContext } from './ledger-command.ts'
import { registerModels } from './models.ts'
import { processOutput } from './output.ts'
import { createProgram, run } from './program.ts'
import { registerServe } from './serve.ts'
import { registerVoice } from './voice.ts'

forbidTelemetry()

/** The `syrinx` command: every subcommand is registered here, in the order people meet them. */
const program = createProgram(processOutput)
const context: CliContext = {
  output: processOutput,
  clock: systemClock,
  random: systemRandom,
  dataDir: () => loadConfig().dataDir,
}
registerServe(program, processOutput)
registerModels(program, processOutput)
registerAccount(program, context)
registerKey(program, context)
registerVoice(program, context)
registerLedger(program, context)

const exitCode = await run(program, process.argv.slice(2), processOutput)
if (exitCode !== 0) process.exitCode = exitCode
