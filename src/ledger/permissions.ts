import { VOICE_IDS_MAX } from '../limits.ts'
import type { Permissions } from './ledger.ts'
import { InvalidOption } from './refusals.ts'

export const EVERY_PERMISSION: Permissions = {
  endpoints: { tts: true, stt: true },
  audioUpload: true,
  keyManagement: true,
  voiceScope: 'all',
  voiceIds: [],
}

/**
 * Permissions from JSON, every field given and none unknown: a misspelt switch must not leave a door open.
 * `voiceIds` may be left out unless the scope is `custom`. Throws `InvalidOption`.
 */
export function parsePermissions(value: unknown): Permissions {
  const given = fieldsOf(value, ['endpoints', 'audioUpload', 'keyManagement', 'voiceScope', 'voiceIds'])
  const endpoints = fieldsOf(given.endpoints, ['tts', 'stt'], 'endpoints')
  const permissions = {
    endpoints: { tts: switchOf(endpoints, 'endpoints.tts', 'tts'), stt: switchOf(endpoints, 'endpoints.stt', 'stt') },
    audioUpload: switchOf(given, 'audioUpload', 'audioUpload'),
    keyManagement: switchOf(given, 'keyManagement', 'keyManagement'),
    voiceScope: voiceScopeOf(given.voiceScope),
    voiceIds: voiceIdsOf(given.voiceIds ?? []),
  }
  if (permissions.voiceScope === 'custom' && permissions.voiceIds.length === 0) {
    throw broken('voiceIds', 'must not be empty when voiceScope is custom')
  }
  return permissions
}

/** `path`: where in the permissions it stands; empty for the whole. */
function fieldsOf(value: unknown, known: readonly string[], path = ''): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw broken(path, `must be an object of ${known.join(', ')}`)
  }
  const unknown = Object.keys(value).find((field) => !known.includes(field))
  if (unknown !== undefined) throw broken(path, `has no field ${unknown}`)
  return { ...value }
}

function switchOf(fields: Record<string, unknown>, name: string, field: string): boolean {
  const value = fields[field]
  if (typeof value !== 'boolean') throw broken(name, 'must be true or false')
  return value
}

function voiceScopeOf(value: unknown): Permissions['voiceScope'] {
  if (value === 'all' || value === 'mine' || value === 'custom') return value
  throw broken('voiceScope', 'must be all, mine or custom')
}

function voiceIdsOf(value: unknown): string[] {
  if (!Array.isArray(value) || !value.every((id): id is string => typeof id === 'string' && id !== '')) {
    throw broken('voiceIds', 'must be a list of voice ids')
  }
  if (value.length > VOICE_IDS_MAX) throw broken('voiceIds', `must hold at most ${VOICE_IDS_MAX} ids`)
  return value
}

function broken(path: string, rule: string): InvalidOption {
  return new InvalidOption('permissions', path === '' ? rule : `${path} ${rule}`)
}
