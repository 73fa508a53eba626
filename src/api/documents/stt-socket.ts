import { z } from 'zod'
import type { ErrorCode } from '../error-codes.ts'
import { ListeningQuery, ListeningStartFields } from '../stt-fields.ts'
import { count } from './envelopes.ts'
import type { Channel, Message } from './operation.ts'

const CODES = [
  'INVALID_API_KEY',
  'unauthorized',
  'FORBIDDEN',
  'BAD_REQUEST',
  'KEY_CREDIT_EXCEEDED',
  'QUOTA_EXCEEDED',
  'SERVICE_NOT_CONFIGURED',
  'STT_UNAVAILABLE',
  'model_not_ready',
  'stt_upstream_error',
  'BACKEND_ERROR',
  'INTERNAL_ERROR',
  'internal_error',
] as const satisfies ErrorCode[]

const transcript = (type: 'partial' | 'segment' | 'final', summary: string): Message => ({
  name: type,
  summary,
  payload: z.object({
    type: z.literal(type),
    text: z.string(),
    combined_text: z.string().describe('All that was said so far.'),
    index: count().describe('Of the segment.'),
    start: z.number().min(0).describe('In seconds of the session.'),
    end: z.number().min(0),
    language: z.string(),
    is_final: z.boolean(),
  }),
  example: {
    type,
    text: 'Good morning.',
    combined_text: 'Good morning.',
    index: 0,
    start: 0.4,
    end: 1.5,
    language: 'en',
    is_final: type !== 'partial',
  },
})

export const sttSocketChannel: Channel = {
  id: 'transcriptSocket',
  title: 'A microphone over a WebSocket',
  description:
    'The client sends `start` within ten seconds, then audio as binary frames. In `auto` mode the node finds where speech begins and ends: ' +
    '`partial` while somebody speaks, `segment` when they stop, one `final` at `stop`. In `manual` mode each `commit` is answered with one ' +
    '`final`. Close codes: 1000 after `stop`, 4400 for a bad message, 4401 for a bad key, 1008 at a limit of audio, time or allowance, ' +
    '1011 for a fault, 1012 when the node shuts down and 1013 when it is full.',
  query: ListeningQuery,
  receives: [
    {
      name: 'start',
      summary: 'Begins the session.',
      payload: ListeningStartFields,
      example: { type: 'start', mode: 'auto', language: 'en', sample_rate: 16_000, format: 'pcm_s16le' },
    },
    { name: 'audio', summary: 'PCM16, little-endian, mono, as a binary frame of any length.' },
    {
      name: 'commit',
      summary: 'In manual mode: the turn is over.',
      payload: z.object({ type: z.literal('commit') }),
      example: { type: 'commit' },
    },
    {
      name: 'stop',
      summary: 'Commits what is left and ends the session.',
      payload: z.object({ type: z.literal('stop') }),
      example: { type: 'stop' },
    },
  ],
  sends: [
    transcript('partial', 'What is being said, as far as it is understood. Costs nothing.'),
    transcript('segment', 'In auto mode: what was said until somebody stopped.'),
    transcript('final', 'In auto mode the whole text, in manual mode that of the turn.'),
    {
      name: 'error',
      summary: 'The last event before the socket is closed.',
      payload: z.object({ type: z.literal('error'), code: z.enum(CODES), message: z.string() }),
      example: { type: 'error', code: 'INVALID_API_KEY', message: 'the API key is not known' },
    },
  ],
}
