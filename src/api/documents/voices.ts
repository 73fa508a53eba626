import { z } from 'zod'
import { EnrollmentFields } from '../enrollment-fields.ts'
import { count, file, success, timestamp } from './envelopes.ts'
import type { Operation } from './operation.ts'
import { WITH_KEY } from './usual-errors.ts'

const IssuedKey = z
  .object({
    key: z.string().describe('The key itself, told only this once.'),
    last_four: z.string().length(4),
    scopes: z.array(z.string()),
  })
  .meta({ id: 'IssuedKey' })

const Voice = z
  .object({
    voice_id: z.string(),
    name: z.string(),
    status: z.literal('ready'),
    deduped: z.boolean().describe('Whether the account had a voice of the same audio already.'),
    gender: z.enum(['male', 'female', 'other']),
    description: z.string(),
    file_name: z.string(),
    file_size: count().describe('In bytes.'),
    created_at: timestamp(),
    key_status: z.enum(['created', 'exists']),
    api_key: IssuedKey.nullable().describe('Null where the voice has an active key already.'),
  })
  .meta({ id: 'Voice' })

const voice = {
  voice_id: 'voice_7k3m9q2x5b8n4c6v1z0p',
  name: 'Ada',
  status: 'ready',
  deduped: false,
  gender: 'female',
  description: '',
  file_name: 'ada.wav',
  file_size: 480_044,
  created_at: '2026-01-05T09:30:00.000Z',
  key_status: 'created',
  api_key: {
    key: 'vc_sk_live_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
    last_four: 'DEFG',
    scopes: ['tts.generate', 'tts.stream', 'usage.read'],
  },
}

const content = (example: object) => ({
  'application/json': { schema: success(Voice), example: { ok: true, data: example } },
})

export const enrollVoiceOperation: Operation = {
  id: 'enrollVoice',
  tag: 'voices',
  summary: 'Enroll a voice',
  description:
    'Makes a voice, and a key that speaks with it, from a recording of somebody who consents. Needs `audioUpload`. At most 20 voices an ' +
    'account, and 6 enrollments a minute. The voice speaks at once. It changes once by itself, usually within a minute, when it ' +
    'has been refined behind the answer, and never again; a text that is being spoken then is spoken to its end as it began.',
  keys: ['admin'],
  body: {
    mediaType: 'multipart/form-data',
    schema: EnrollmentFields.extend({ file: file().describe('A recording of up to 10 MiB.') }),
    example: { file: 'ada.wav', name: 'Ada', consent: 'true' },
  },
  answers: [
    { status: 201, description: 'A new voice.', content: content(voice) },
    {
      status: 200,
      description: 'The account has a voice of this audio.',
      content: content({ ...voice, deduped: true, key_status: 'exists', api_key: null }),
    },
  ],
  errors: {
    ...WITH_KEY,
    PERMISSION_DENIED: [403],
    ACCOUNT_DISABLED: [403],
    VALIDATION_FAILED: [400],
    VOICE_LIMIT_REACHED: [403],
    RATE_LIMITED: [429],
    ENROLLMENT_FAILED: [503],
  },
}

export const deleteVoiceOperation: Operation = {
  id: 'deleteVoice',
  tag: 'voices',
  summary: 'Delete a voice and its key',
  description: 'Can’t be undone. The history stays.',
  keys: ['admin'],
  path: z.object({ id: z.string().describe('The `voice_id`.') }),
  answers: [
    {
      status: 200,
      description: 'The voice is gone.',
      content: {
        'application/json': {
          schema: success(z.object({ voice_id: z.string(), name: z.string(), deleted: z.literal(true) })),
          example: { ok: true, data: { voice_id: voice.voice_id, name: voice.name, deleted: true } },
        },
      },
    },
  ],
  errors: { ...WITH_KEY, PERMISSION_DENIED: [403], VOICE_NOT_ALLOWED: [403] },
}
