import { z } from 'zod'
import { count, success, timestamp } from './envelopes.ts'
import type { Operation } from './operation.ts'
import { ANY_REQUEST, WITH_KEY } from './usual-errors.ts'

const credit = {
  credit_limit: count().nullable().describe('Lifetime ceiling of the key; null: it has none.'),
  credit_used: count().describe('Characters over its lifetime.'),
  credit_remaining: count().nullable().describe('Null without a ceiling.'),
}

const keyUsage = {
  name: z.string(),
  last_four: z.string().length(4),
  ...credit,
  credit_source: z.enum(['key', 'account']).describe('`key` where it has a ceiling of its own.'),
}

const AccountUsage = z
  .object({
    environment: z.literal('live'),
    limit: count().describe('9007199254740991 where the account is unlimited, as in `remaining`.'),
    used: count(),
    remaining: count(),
    unlimited: z.boolean(),
    reset_date: timestamp(),
    reset_interval: z.enum(['day', 'week', 'month', 'year']),
    reset_interval_count: z.int().min(1),
    key: z.object({
      kind: z.literal('tts'),
      ...keyUsage,
      spendable: count().describe('The smaller of what key and account have left.'),
    }),
  })
  .meta({ id: 'AccountUsage', description: 'To a voice key: the allowance of its account, and its own figures.' })

const KeyUsage = z
  .object({ environment: z.literal('live'), key: z.object({ kind: z.literal('admin'), ...keyUsage }) })
  .meta({ id: 'KeyUsage', description: 'To an account key: its own figures alone.' })

export const usageOperation: Operation = {
  id: 'getUsage',
  tag: 'keys',
  summary: 'What is used, and what is left',
  description: 'An account key is never told the balance of the account.',
  keys: ['voice', 'admin'],
  answers: [
    {
      status: 200,
      description: 'The figures.',
      content: {
        'application/json': {
          schema: success(z.union([AccountUsage, KeyUsage])),
          example: {
            ok: true,
            data: {
              environment: 'live',
              limit: 100_000,
              used: 22,
              remaining: 99_978,
              unlimited: false,
              reset_date: '2026-02-01T00:00:00.000Z',
              reset_interval: 'month',
              reset_interval_count: 1,
              key: {
                kind: 'tts',
                name: 'First voice key',
                last_four: 'x7Qp',
                credit_limit: null,
                credit_used: 22,
                credit_remaining: null,
                credit_source: 'account',
                spendable: 99_978,
              },
            },
          },
        },
      },
    },
  ],
  errors: WITH_KEY,
}

const entry = <T extends string>(kind: T) =>
  z.object({
    id: z.string(),
    kind: z.literal(kind),
    name: z.string(),
    prefix: z.string().describe('What the key begins with.'),
    last_four: z.string().length(4),
    scopes: z.array(z.string()),
    status: z.enum(['active', 'revoked', 'expired', 'inactive']),
    created_at: timestamp(),
    last_used_at: timestamp().nullable(),
    expires_at: timestamp().nullable(),
    ...credit,
  })

const KeyList = z
  .object({
    keys: z.object({
      admin: z.array(entry('admin')).describe('The calling key alone.'),
      tts: z
        .array(entry('tts').extend({ voice_id: z.string() }))
        .describe('Voice keys whose voice the caller may speak with.'),
      stt: z.array(entry('stt')),
    }),
  })
  .meta({ id: 'KeyList', description: 'Never a plaintext, a hash or the balance.' })

export const keysOperation: Operation = {
  id: 'listKeys',
  tag: 'keys',
  summary: 'Keys that an account key can reach',
  description:
    'Needs `keyManagement`. Voice keys are listed with the text-to-speech switch on, others with that of speech-to-text.',
  keys: ['admin'],
  answers: [
    {
      status: 200,
      description: 'The keys, without their secrets.',
      content: {
        'application/json': {
          schema: success(KeyList),
          example: {
            ok: true,
            data: {
              keys: {
                admin: [
                  {
                    id: 'key_4hq2m8x1',
                    kind: 'admin',
                    name: 'First admin key',
                    prefix: 'vc_ak_live_',
                    last_four: 'Tz3k',
                    scopes: [],
                    status: 'active',
                    created_at: '2026-01-05T09:30:00.000Z',
                    last_used_at: null,
                    expires_at: null,
                    credit_limit: null,
                    credit_used: 0,
                    credit_remaining: null,
                  },
                ],
                tts: [],
                stt: [],
              },
            },
          },
        },
      },
    },
  ],
  errors: { ...ANY_REQUEST, ...WITH_KEY, PERMISSION_DENIED: [403] },
}
