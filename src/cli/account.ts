import type { Command } from 'commander'
import { ACCOUNT_DEFAULTS, type AccountOptions } from '../ledger/accounts.ts'
import type { Account, Quota, ResetInterval } from '../ledger/ledger.ts'
import type { LmdbLedger } from '../ledger/lmdb-ledger.ts'
import { quotaRemaining } from '../ledger/quota.ts'
import { InvalidOption, NotFound } from '../ledger/refusals.ts'
import { UNLIMITED } from '../limits.ts'
import {
  type CliContext,
  type CommonOptions,
  iso,
  print,
  type Report,
  withCommonOptions,
  withLedger,
} from './ledger-command.ts'
import { type Limit, limitOr, oneOf, wholeNumber } from './options.ts'
import { tableText } from './output.ts'

interface Given extends CommonOptions {
  readonly name?: string
  readonly ttsQuota?: Limit
  readonly sttQuota?: Limit
  readonly interval?: ResetInterval
  readonly intervalCount?: number
}

/** `syrinx account …`: whose allowance it is. */
export function registerAccount(program: Command, context: CliContext): void {
  const group = program.command('account').description('accounts and their quotas')
  const report = (given: Given, mayCreate: boolean, work: (ledger: LmdbLedger) => Promise<Account>) =>
    withLedger(context, { ...given, mayCreate }, async (ledger) =>
      print(context, given, accountReport(await work(ledger))),
    )

  withCommonOptions(withQuotaOptions(group.command('create').description('make an account')))
    .requiredOption('--name <name>', 'what people call it')
    .action((given: Given & { readonly name: string }) =>
      report(given, true, (ledger) =>
        ledger.createAccount({ ...ACCOUNT_DEFAULTS, ...accountOptions(given), name: given.name }),
      ),
    )

  withCommonOptions(group.command('list').description('all accounts')).action((given: Given) =>
    withLedger(context, given, (ledger) => print(context, given, accountsReport(ledger.listAccounts()))),
  )

  withCommonOptions(group.command('show <id>').description('one account')).action((id: string, given: Given) =>
    report(given, false, async (ledger) => {
      const account = ledger.account(id)
      if (account === undefined) throw new NotFound('account', id)
      return account
    }),
  )

  withCommonOptions(withQuotaOptions(group.command('set <id>').description('change what is given, keep the rest')))
    .option('--name <name>', 'what people call it')
    .action((id: string, given: Given) => {
      const changes = accountOptions(given)
      if (Object.keys(changes).length === 0) {
        throw new InvalidOption('name', 'or another option must say what to change')
      }
      return report(given, false, (ledger) => ledger.setAccount(id, changes))
    })

  for (const [name, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    const description = disabled ? 'refuse all its keys' : 'accept its keys again'
    withCommonOptions(group.command(`${name} <id>`).description(description)).action((id: string, given: Given) =>
      report(given, false, (ledger) => ledger.setAccount(id, { disabled })),
    )
  }
}

function withQuotaOptions(command: Command): Command {
  return command
    .option('--tts-quota <characters>', 'characters to speak each interval, or "unlimited"', limitOr('unlimited'))
    .option('--stt-quota <characters>', 'characters to transcribe each interval, or "unlimited"', limitOr('unlimited'))
    .option('--interval <unit>', 'day, week, month or year', oneOf('day', 'week', 'month', 'year'))
    .option('--interval-count <n>', 'how many units make an interval', wholeNumber)
}

function accountOptions({ name, ttsQuota, sttQuota, interval, intervalCount }: Given): Partial<AccountOptions> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(ttsQuota === undefined ? {} : { ttsQuota: ttsQuota.limit }),
    ...(sttQuota === undefined ? {} : { sttQuota: sttQuota.limit }),
    ...(interval === undefined ? {} : { interval }),
    ...(intervalCount === undefined ? {} : { intervalCount }),
  }
}

function accountReport(account: Account): Report {
  return { json: accountJson(account), text: accountTable([account]) }
}

function accountsReport(accounts: readonly Account[]): Report {
  return { json: { accounts: accounts.map(accountJson) }, text: accountTable(accounts) }
}

function accountJson({ id, name, createdAt, disabled, tts, stt }: Account) {
  return { id, name, created_at: iso(createdAt), disabled, tts: quotaJson(tts), stt: quotaJson(stt) }
}

function quotaJson(quota: Quota) {
  return {
    limit: quota.limit ?? UNLIMITED,
    used: quota.used,
    remaining: quotaRemaining(quota),
    unlimited: quota.limit === null,
    reset_date: iso(quota.resetDate),
    reset_interval: quota.resetInterval,
    reset_interval_count: quota.resetIntervalCount,
  }
}

function accountTable(accounts: readonly Account[]): string {
  const rows = accounts.map(({ id, name, disabled, tts, stt }) => [
    ...[id, name, disabled ? 'disabled' : 'active', quotaText(tts), quotaText(stt)],
    tts.resetDate === stt.resetDate ? isoDay(tts) : `${isoDay(tts)} / ${isoDay(stt)}`,
  ])
  return tableText(['account', 'name', 'status', 'tts used', 'stt used', 'renews'], rows)
}

function quotaText({ used, limit }: Quota): string {
  return `${used} of ${limit ?? 'unlimited'}`
}

function isoDay({ resetDate }: Quota): string {
  return new Date(resetDate).toISOString().slice(0, 10)
}
