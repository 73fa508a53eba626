import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { InvalidOption, NotFound } from '../ledger/refusals.ts'
import { StoreFailed } from '../ledger/store.ts'
import type { Output } from './output.ts'

/** An empty `syrinx` command to register others on. What they print goes to `output`; errors are one line. */
export function createProgram(output: Output): Command {
  return new Command('syrinx')
    .description('A self-hosted speech server')
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: (text) => void output.out(text), writeErr: (text) => output.err(text) })
}

/** The command did its work and its answer is no: nothing more to say. */
export class ExitWith extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`Exit with ${exitCode}`)
    this.exitCode = exitCode
  }
}

/** Runs one command line and returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function run(program: Command, argv: readonly string[], output: Output): Promise<number> {
  requireCommands(program)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeOf(error)
    if (error instanceof ExitWith) return error.exitCode
    if (error instanceof InvalidOption) return complain(output, `${flagOf(error.option)} ${error.rule}`, 2)
    if (error instanceof ConfigError) return complain(output, error.message, 2)
    if (error instanceof NotFound) return complain(output, error.message, 1)
    if (error instanceof StoreFailed) return complain(output, `${error.message}: ${causeOf(error)}`, 1)
    throw error
  }
}

/** Commander has printed the reason. `command.error` says its exit code; for wrong usage commander's own is 1. */
function exitCodeOf({ code, exitCode }: CommanderError): number {
  if (code === 'commander.error' || exitCode === 0) return exitCode
  return 2
}

/** A command that only groups others, such as `syrinx account`, answers with one line instead of its help. */
function requireCommands(command: Command): void {
  if (command.commands.length === 0) return
  for (const each of command.commands) requireCommands(each)
  command
    .usage('<command> [options]')
    .allowExcessArguments()
    .action((_options: unknown, group: Command) => {
      const [unknown] = group.args
      const names = group.commands.map((each) => each.name()).join(', ')
      group.error(
        unknown === undefined
          ? `error: ${group.name()} needs a command: ${names}`
          : `error: unknown command '${unknown}'; ${group.name()} has ${names}`,
        { exitCode: 2 },
      )
    })
}

function complain(output: Output, message: string, exitCode: number): number {
  output.err(`error: ${message}\n`)
  return exitCode
}

/** `creditLimit` as it is typed: `--credit-limit`. */
function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : 'no reason given'
}
