import { z } from 'zod'
import type { ErrorCode } from '../error-codes.ts'
import { StartFields, StreamTokenFields } from '../fields.ts'
import { count, success } from './envelopes.ts'
import type { Channel, Operation } from './operation.ts'
import { words } from './tts.ts'
import { CHOOSING, PAYING, WITH_KEY } from './usual-errors.ts'

const StreamToken = z
  .object({
    stream_token: z.string().describe('Opens one socket, once.'),
    ws_url: z
      .string()
      .regex(/^wss?:/)
      .describe('Where to connect, with the token as the query parameter `token`.'),
    max_length: count().describe('Characters the stream may speak.'),
    chars_deducted: count(),
    expires_in: count().describe('Seconds in which to connect.'),
  })
  .meta({ id: 'StreamToken' })

export const streamTokenOperation: Operation = {
  id: 'createStreamToken',
  tag: 'speech',
  summary: 'Pay for a stream over a WebSocket',
  description:
    'The characters are charged here, and not given back for a token that is not used. The socket is described in the AsyncAPI document.',
  keys: ['voice', 'admin'],
  body: {
    mediaType: 'application/json',
    schema: StreamTokenFields.meta({ id: 'StreamTokenRequest' }),
    example: { text_length: 22 },
  },
  answers: [
    {
      status: 200,
      description: 'The token.',
      content: {
        'application/json': {
          schema: success(StreamToken),
          example: {
            ok: true,
            data: {
              stream_token: 'Jb3Tq0dV5m6x9LwZr1cKxA',
              ws_url: 'wss://speech.example/ws/tts/stream',
              max_length: 22,
              chars_deducted: 22,
              expires_in: 60,
            },
          },
        },
      },
    },
  ],
  errors: { ...WITH_KEY, ...CHOOSING, ...PAYING },
}

const MODE = z.literal('fast')

const CODES = [
  'INVALID_API_KEY',
  'BAD_REQUEST',
  'TEXT_TOO_LONG',
  'INVALID_LANGUAGE',
  'VOICE_NOT_FOUND',
  'VOICE_FEATURE_UNAVAILABLE',
  'GENERATION_FAILED',
  'BACKEND_ERROR',
  'INTERNAL_ERROR',
] as const satisfies ErrorCode[]

export const ttsSocketChannel: Channel = {
  id: 'speechSocket',
  title: 'Speech over a WebSocket',
  description:
    'One socket speaks one text. The client sends `start` within ten seconds, the node answers with `start`, frames of audio, and one of ' +
    '`done`, `error` and `cancelled`; then it closes the socket: 1000 after `done` and `cancelled`, 4400 for a bad message, 4401 for a bad ' +
    'token, 1011 for a fault, 1012 when the node shuts down and 1013 when it is full. Closing the socket stops the speech.',
  query: z.object({ token: z.string().describe('The `stream_token` of `POST /api/v1/tts/stream-token`.') }),
  receives: [
    {
      name: 'start',
      summary: 'What to speak. The voice is that of the token.',
      payload: StartFields.meta({ id: 'StartMessage' }),
      example: { type: 'start', text: 'Hello! This is Syrinx.', language: 'en' },
    },
    {
      name: 'cancel',
      summary: 'Stops the speech.',
      payload: z.object({ type: z.literal('cancel') }),
      example: { type: 'cancel' },
    },
  ],
  sends: [
    {
      name: 'start',
      summary: 'Before the first frame.',
      payload: z.object({
        type: z.literal('start'),
        mode: MODE,
        sample_rate: z.int(),
        format: z.literal('pcm16'),
        channels: z.literal(1),
      }),
      example: { type: 'start', mode: 'fast', sample_rate: 24_000, format: 'pcm16', channels: 1 },
    },
    { name: 'frame', summary: 'PCM16, little-endian, mono, as a binary frame of 200 ms; the last may be shorter.' },
    {
      name: 'done',
      summary: 'All was spoken.',
      payload: z.object({
        type: z.literal('done'),
        mode: MODE,
        audio_url: z.string().describe('Signed path of the same audio as a WAV file.'),
        chunks: count().describe('Frames sent.'),
        ttfb_ms: count().describe('From `start` to the first frame.'),
        duration_ms: count().describe('Of the audio.'),
        words,
      }),
      example: {
        type: 'done',
        mode: 'fast',
        audio_url: '/audio/9f2c.wav?expires=1767225600&signature=Zm9v',
        chunks: 12,
        ttfb_ms: 96,
        duration_ms: 2_304,
      },
    },
    {
      name: 'error',
      summary: 'In place of `done`.',
      payload: z.object({
        type: z.literal('error'),
        code: z.enum(CODES),
        message: z.string(),
      }),
      example: { type: 'error', code: 'BAD_REQUEST', message: 'text is required' },
    },
    {
      name: 'cancelled',
      summary: 'The answer to `cancel`.',
      payload: z.object({ type: z.literal('cancelled') }),
      example: { type: 'cancelled' },
    },
  ],
}
