import type { Command } from 'commander'
import { NotFound } from '../ledger/refusals.ts'
import type { Voice } from '../speech/voice.ts'
import { DEFAULT_VOICE_ID, PRESET_VOICES } from '../speech/voices.ts'
import { type CliContext, type CommonOptions, print, withCommonOptions, withLedger } from './ledger-command.ts'
import { tableText } from './output.ts'

/** `syrinx voice …`: who can speak. */
export function registerVoice(program: Command, context: CliContext): void {
  const group = program.command('voice').description('voices')

  withCommonOptions(group.command('list').description('voices, the models’ own and an account’s'))
    .option('--account <id>', 'what this account can use')
    .action(async (given: CommonOptions & { readonly account?: string }) => {
      const { account } = given
      if (account !== undefined) {
        await withLedger(context, given, (ledger) => {
          if (ledger.account(account) === undefined) throw new NotFound('account', account)
        })
      }
      await print(context, given, {
        json: { voices: PRESET_VOICES.map(voiceJson) },
        text: tableText(
          ['voice', 'name', 'language', 'accent', 'gender', ''],
          PRESET_VOICES.map((voice) => [
            ...[voice.id, voice.name, voice.language, accentOf(voice) ?? '', voice.gender],
            voice.id === DEFAULT_VOICE_ID ? 'default' : '',
          ]),
        ),
      })
    })
}

function voiceJson(voice: Voice) {
  const { id, name, language, gender } = voice
  return { voice_id: id, name, language, accent: accentOf(voice), gender, default: id === DEFAULT_VOICE_ID }
}

function accentOf({ language, british }: Voice): 'american' | 'british' | null {
  if (language !== 'en') return null
  return british ? 'british' : 'american'
}
