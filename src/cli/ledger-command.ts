import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { LmdbLedger, ledgerFolder } from '../ledger/lmdb-ledger.ts'
import { InvalidOption } from '../ledger/refusals.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Random } from '../runtime/random.ts'
import { jsonLine, type Output } from './output.ts'

/** What the commands around the ledger work with. */
export interface CliContext {
  readonly output: Output
  readonly clock: Clock
  readonly random: Random
  /** Where the data is when `--data` does not say. */
  readonly dataDir: () => string
}

/** What a command found or did, for programs and for people. */
export interface Report {
  readonly json: unknown
  readonly text: string
}

export interface CommonOptions {
  readonly json?: true
  readonly data?: string
}

/** Adds the options every command has but `serve`, which prints no document. */
export function withCommonOptions(command: Command): Command {
  return withDataOption(command.option('--json', 'print one JSON document and nothing else'))
}

export function withDataOption(command: Command): Command {
  return command.option('--data <dir>', 'the data folder (SYRINX_DATA, else ./data)')
}

/** Whether there is a ledger to open. */
export function hasLedger(context: CliContext, options: CommonOptions): boolean {
  return existsSync(ledgerFolder(dataDirOf(context, options)))
}

/** Opens the ledger for as long as `work` takes. The node may serve from the same folder meanwhile. */
export async function withLedger<R>(
  context: CliContext,
  options: CommonOptions & { readonly mayCreate?: boolean },
  work: (ledger: LmdbLedger) => Promise<R> | R,
): Promise<R> {
  const dataDir = dataDirOf(context, options)
  // A mistyped folder must not look like an empty ledger.
  if (!options.mayCreate && !existsSync(ledgerFolder(dataDir))) {
    throw new InvalidOption('data', `must name a folder that holds a ledger; there is none in ${dataDir}`)
  }
  const ledger = LmdbLedger.open(dataDir, context.clock, context.random)
  try {
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}

function dataDirOf(context: CliContext, { data }: CommonOptions): string {
  return data === undefined ? context.dataDir() : resolve(data)
}

export async function print(context: CliContext, options: CommonOptions, report: Report): Promise<void> {
  await context.output.out(options.json ? jsonLine(report.json) : report.text)
}

export function iso(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString()
}
