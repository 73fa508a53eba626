import type { Command } from 'commander'
import type { KeyOptions } from '../ledger/keys.ts'
import { KEY_SCOPES } from '../ledger/keys.ts'
import type { ApiKey, KeyKind, NewKey, Scope } from '../ledger/ledger.ts'
import { parsePermissions } from '../ledger/permissions.ts'
import { creditRemaining } from '../ledger/quota.ts'
import { InvalidOption, NotFound } from '../ledger/refusals.ts'
import type { VoiceDirectory } from '../speech/voice.ts'
import { allVoices } from '../speech/voice-directory.ts'
import {
  type CliContext,
  type CommonOptions,
  iso,
  print,
  type Report,
  withCommonOptions,
  withLedger,
} from './ledger-command.ts'
import { isoTime, json, type Limit, limitOr, listOf, oneOf, wholeNumber } from './options.ts'
import { tableText } from './output.ts'

interface CreateOptions extends CommonOptions {
  readonly account: string
  readonly kind: KeyKind
  readonly name: string
  readonly voice?: string
  readonly creditLimit?: number
  readonly expires?: number
  readonly scopes?: Scope[]
  readonly permissions?: unknown
}

/** `syrinx key …`: who may use an account, for what, and how much. */
export function registerKey(program: Command, context: CliContext): void {
  const group = program.command('key').description('API keys')
  const now = () => context.clock.now()

  withCommonOptions(group.command('create').description('make a key and show its secret, once'))
    .requiredOption('--account <id>', 'whose allowance it spends')
    .requiredOption('--kind <kind>', 'admin, voice or stt', oneOf('admin', 'voice', 'stt'))
    .requiredOption('--name <name>', 'what people call it')
    .option('--voice <id>', 'the voice of a voice key')
    .option('--credit-limit <characters>', 'lifetime ceiling', wholeNumber)
    .option('--expires <time>', 'ISO 8601 time after which it is refused', isoTime)
    .option(
      '--scopes <list>',
      'fewer scopes than the kind has, with commas',
      listOf(...KEY_SCOPES.voice, ...KEY_SCOPES.stt),
    )
    .option('--permissions <json>', 'permissions of an admin key (default: all)', json)
    .action((given: CreateOptions) => {
      const options = keyOptions(given)
      return withLedger(context, given, async (ledger) => {
        requireVoice(allVoices(ledger), given)
        await print(context, given, createdReport(await ledger.createKey(options), now()))
      })
    })

  withCommonOptions(group.command('list').description('keys, of one account or all'))
    .option('--account <id>', 'only this account')
    .action((given: CommonOptions & { readonly account?: string }) =>
      withLedger(context, given, (ledger) => {
        const accountIds = given.account === undefined ? ledger.listAccounts().map(({ id }) => id) : [given.account]
        const keys = accountIds.flatMap((id) => {
          if (ledger.account(id) === undefined) throw new NotFound('account', id)
          return ledger.keysOf(id)
        })
        return print(context, given, {
          json: { keys: keys.map((key) => keyJson(key, now())) },
          text: keyTable(keys, now()),
        })
      }),
    )

  withCommonOptions(group.command('set <id>').description('change a key'))
    .requiredOption('--credit-limit <characters>', 'lifetime ceiling, or "none"', limitOr('none'))
    .action((id: string, given: CommonOptions & { readonly creditLimit: Limit }) =>
      withLedger(context, given, async (ledger) =>
        print(context, given, keyReport(await ledger.setCreditLimit(id, given.creditLimit.limit), now())),
      ),
    )

  withCommonOptions(group.command('revoke <id>').description('refuse a key from now on, for good')).action(
    (id: string, given: CommonOptions) =>
      withLedger(context, given, async (ledger) => print(context, given, keyReport(await ledger.revokeKey(id), now()))),
  )
}

function keyOptions(given: CreateOptions): KeyOptions {
  const { account: accountId, kind, name, voice: voiceId, creditLimit, expires: expiresAt, scopes } = given
  return {
    ...{ accountId, kind, name },
    ...(voiceId === undefined ? {} : { voiceId }),
    ...(creditLimit === undefined ? {} : { creditLimit }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(given.permissions === undefined ? {} : { permissions: parsePermissions(given.permissions) }),
  }
}

/** Throws unless the voice, if one is given, is the model's own or the account's. */
function requireVoice(voices: VoiceDirectory, { voice: voiceId, account }: CreateOptions): void {
  if (voiceId === undefined) return
  const voice = voices.find(voiceId)
  if (voice !== undefined && (voice.accountId === null || voice.accountId === account)) return
  throw new InvalidOption('voice', `must be a voice of \`syrinx voice list\`; ${voiceId} is none`)
}

function createdReport({ key, plaintext }: NewKey, now: number): Report {
  const { id, ...rest } = keyJson(key, now)
  return {
    json: { id, key: plaintext, ...rest },
    text: `${plaintext}\n\nThis is the only time the key is shown.\n\n${keyTable([key], now)}`,
  }
}

function keyReport(key: ApiKey, now: number): Report {
  return { json: keyJson(key, now), text: keyTable([key], now) }
}

function keyJson(key: ApiKey, now: number) {
  return {
    id: key.id,
    account_id: key.accountId,
    kind: key.kind,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    scopes: key.scopes,
    status: statusOf(key, now),
    voice_id: key.voiceId,
    permissions: key.permissions,
    created_at: iso(key.createdAt),
    last_used_at: iso(key.lastUsedAt),
    expires_at: iso(key.expiresAt),
    credit_limit: key.creditLimit,
    credit_used: key.creditUsed,
    credit_remaining: creditRemaining(key),
  }
}

function keyTable(keys: readonly ApiKey[], now: number): string {
  const rows = keys.map((key) => [
    ...[key.id, key.kind, key.name, `${key.prefix}…${key.lastFour}`, statusOf(key, now), key.voiceId ?? ''],
    `${key.creditUsed} of ${key.creditLimit ?? 'the quota'}`,
  ])
  return tableText(['key', 'kind', 'name', 'secret', 'status', 'voice', 'used'], rows)
}

function statusOf(key: ApiKey, now: number): ApiKey['status'] | 'expired' {
  return key.status === 'active' && key.expiresAt !== null && now >= key.expiresAt ? 'expired' : key.status
}
