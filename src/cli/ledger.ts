import type { Command } from 'commander'
import type { Posting } from '../ledger/tables.ts'
import type { Verification } from '../ledger/verify.ts'
import { type CliContext, type CommonOptions, iso, print, withCommonOptions, withLedger } from './ledger-command.ts'
import { isoTime } from './options.ts'
import { jsonLine, tableText } from './output.ts'
import { ExitWith } from './program.ts'

/** `syrinx ledger …`: do the books balance, and what is in them. */
export function registerLedger(program: Command, context: CliContext): void {
  const group = program.command('ledger').description('the record of what was charged')

  withCommonOptions(group.command('verify').description('recompute every balance from the postings')).action(
    async (given: CommonOptions) => {
      const verification = await withLedger(context, given, (ledger) => ledger.verify())
      await print(context, given, { json: verification, text: verificationText(verification) })
      if (!verification.ok) throw new ExitWith(1)
    },
  )

  withCommonOptions(group.command('export').description('every posting as a line of JSON, oldest first'))
    .option('--since <time>', 'ISO 8601 time of the first posting wanted', isoTime)
    .action((given: CommonOptions & { readonly since?: number }) =>
      withLedger(context, given, async (ledger) => {
        for (const posting of ledger.exportPostings(given.since)) {
          await context.output.out(jsonLine(postingJson(posting)))
        }
      }),
    )
}

function verificationText({ ok, postings, differences }: Verification): string {
  if (ok) return `${postings} postings add up to every balance.\n`
  const rows = differences.map(({ subject, id, figure, stored, computed }) => [subject, id, figure, stored, computed])
  return tableText(['what', 'id', 'figure', 'stored', 'from postings'], rows)
}

function postingJson(posting: Posting) {
  return {
    id: posting.id,
    account_id: posting.accountId,
    key_id: posting.keyId,
    meter: posting.meter,
    characters: posting.characters,
    created_at: iso(posting.createdAt),
    period: posting.period,
  }
}
