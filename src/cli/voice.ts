import type { Command } from 'commander'
import type { Consent, EnrolledVoice } from '../ledger/ledger.ts'
import type { LmdbLedger } from '../ledger/lmdb-ledger.ts'
import { NotFound } from '../ledger/refusals.ts'
import type { Voice } from '../speech/voice.ts'
import { DEFAULT_VOICE_ID, PRESET_VOICES } from '../speech/voices.ts'
import {
  type CliContext,
  type CommonOptions,
  hasLedger,
  iso,
  print,
  withCommonOptions,
  withLedger,
} from './ledger-command.ts'
import { tableText } from './output.ts'

interface Given extends CommonOptions {
  readonly account?: string
}

/** `syrinx voice …`: who can speak. */
export function registerVoice(program: Command, context: CliContext): void {
  const group = program.command('voice').description('voices')

  withCommonOptions(group.command('list').description('voices, the models’ own and those of accounts'))
    .option('--account <id>', 'what this account can use')
    .action(async (given: Given) => {
      // The models' own voices are there before any account is.
      const isAsked = given.account !== undefined || hasLedger(context, given)
      const enrolled = isAsked ? await withLedger(context, given, (ledger) => enrolledVoices(ledger, given)) : []
      await print(context, given, {
        json: { voices: [...PRESET_VOICES.map(presetJson), ...enrolled.map(enrolledJson)] },
        text: tableText(
          ['voice', 'name', 'language', 'accent', 'gender', ''],
          [...PRESET_VOICES.map(presetRow), ...enrolled.map(enrolledRow)],
        ),
      })
    })

  withCommonOptions(group.command('consents').description('who agreed to which voice, deleted ones included'))
    .option('--account <id>', 'only this account')
    .action((given: Given) =>
      withLedger(context, given, (ledger) => {
        const consents = accountIds(ledger, given).flatMap((id) => ledger.consentsOf(id))
        return print(context, given, {
          json: { consents: consents.map(consentJson) },
          text: tableText(['voice', 'account', 'key', 'consent', 'voice deleted'], consents.map(consentRow)),
        })
      }),
    )
}

function enrolledVoices(ledger: LmdbLedger, given: Given): EnrolledVoice[] {
  return accountIds(ledger, given).flatMap((id) => ledger.voicesOf(id))
}

/** The account asked for, or all. */
function accountIds(ledger: LmdbLedger, { account }: Given): string[] {
  if (account === undefined) return ledger.listAccounts().map(({ id }) => id)
  if (ledger.account(account) === undefined) throw new NotFound('account', account)
  return [account]
}

function presetJson(voice: Voice) {
  const { id, name, language, gender } = voice
  return { voice_id: id, name, language, accent: accentOf(voice), gender, default: id === DEFAULT_VOICE_ID }
}

function presetRow(voice: Voice): string[] {
  const { id, name, language, gender } = voice
  return [id, name, language, accentOf(voice) ?? '', gender, id === DEFAULT_VOICE_ID ? 'default' : '']
}

/** Language and accent are those of the recording, which nobody has said. */
function enrolledJson({ id, accountId, name, gender, description, createdAt, ...file }: EnrolledVoice) {
  return {
    ...{ voice_id: id, name, language: null, accent: null, gender, default: false, account_id: accountId },
    ...{ description, file_name: file.fileName, file_size: file.fileSize, sha256: file.sha256 },
    created_at: iso(createdAt),
  }
}

function enrolledRow({ id, accountId, name, gender }: EnrolledVoice): string[] {
  return [id, name, '', '', gender, accountId]
}

function consentJson({ voiceId, accountId, keyId, sha256, at, voiceDeletedAt }: Consent) {
  return {
    ...{ voice_id: voiceId, account_id: accountId, key_id: keyId, sha256, at: iso(at) },
    voice_deleted_at: iso(voiceDeletedAt),
  }
}

function consentRow({ voiceId, accountId, keyId, at, voiceDeletedAt }: Consent): string[] {
  return [voiceId, accountId, keyId, iso(at) ?? '', iso(voiceDeletedAt) ?? '']
}

function accentOf({ language, british }: Voice): 'american' | 'british' | null {
  if (language !== 'en') return null
  return british ? 'british' : 'american'
}
