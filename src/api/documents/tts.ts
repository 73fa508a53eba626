import { z } from 'zod'
import { FileFields, SseFields } from '../fields.ts'
import { count, success } from './envelopes.ts'
import type { Message, Operation, RequestBody } from './operation.ts'
import { SPEAKING } from './usual-errors.ts'

const TEXT = 'Hello! This is Syrinx.'
const VOICE = 'preset_af_heart'

const body: RequestBody = {
  mediaType: 'application/json',
  schema: FileFields.meta({ id: 'SpeechRequest' }),
  example: { text: TEXT, format: 'wav' },
}

const Generation = z
  .object({
    success: z.literal(true),
    request_id: z.string(),
    voice_id: z.string(),
    audio_url: z.url().describe('Signed address of the finished file, good for 24 hours.'),
    text: z.string(),
    duration: z.number().nullable().describe('As asked for; null where the model chose.'),
    status: z.literal('completed'),
    chars_deducted: count(),
  })
  .meta({ id: 'Generation' })

export const generateOperation: Operation = {
  id: 'generateSpeech',
  tag: 'speech',
  summary: 'Speak into a file at an address',
  description: 'Answers when the file is whole. The text is charged before it is spoken.',
  keys: ['voice', 'admin'],
  headers: z.object({
    'Idempotency-Key': z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('A repeat with the same body within 24 hours gets the first answer, and is not charged again.'),
  }),
  body,
  answers: [
    {
      status: 200,
      description: 'The file is there.',
      content: {
        'application/json': {
          schema: success(Generation),
          example: {
            ok: true,
            data: {
              success: true,
              request_id: '01jx2b7k9m_4',
              voice_id: VOICE,
              audio_url: 'https://speech.example/audio/9f2c.wav?expires=1767225600&signature=Zm9v',
              text: TEXT,
              duration: null,
              status: 'completed',
              chars_deducted: TEXT.length,
            },
          },
        },
      },
    },
  ],
  // 409: the first request with this Idempotency-Key still runs.
  errors: { ...SPEAKING, BAD_REQUEST: [400, 409], BACKEND_ERROR: [500, 503, 422] },
}

export const bytesOperation: Operation = {
  id: 'speakBytes',
  tag: 'speech',
  summary: 'Speak into a file',
  description: 'Answers with the file itself when it is whole; no copy is kept.',
  keys: ['voice', 'admin'],
  body,
  answers: [
    {
      status: 200,
      description: 'The file.',
      headers: {
        'Content-Disposition': ['A name for the file.', 'attachment; filename="service.mp3"'],
        'X-Service-Format': ['mp3 or wav.', 'mp3'],
        'X-Service-Sample-Rate': ['In hertz.', 24_000],
        'X-Service-Chars-Deducted': ['Characters charged.', TEXT.length],
      },
      content: { 'audio/mpeg': {}, 'audio/wav': {} },
    },
  ],
  errors: { ...SPEAKING, BACKEND_ERROR: [500, 503, 422] },
}

const WordTime = z
  .object({ word: z.string().describe('As it is written.'), start_ms: count(), end_ms: count() })
  .meta({ id: 'WordTime', description: 'When a word is heard, in milliseconds of the audio.' })

/** What the last event of a stream says of the words. */
export const words = z.array(WordTime).optional().describe('Where `timestamps` was asked for.')

const events: readonly Message[] = [
  {
    name: 'start',
    summary: 'Once, before any audio.',
    payload: z.object({
      sample_rate: z.int(),
      channels: z.literal(1),
      format: z.literal('pcm_s16le'),
      encoding: z.literal('base64'),
    }),
    example: { sample_rate: 24_000, channels: 1, format: 'pcm_s16le', encoding: 'base64' },
  },
  {
    name: 'audio',
    summary: 'A piece of the audio, 200 ms but for the last. Its `id` is its sequence.',
    payload: z.object({
      sequence: z.int().min(1).describe('1, 2, 3 … without a gap.'),
      audio: z.base64().describe('PCM16, little-endian, mono.'),
    }),
    example: { sequence: 1, audio: 'AAABAAIAAwA=' },
  },
  {
    name: 'done',
    summary: 'The last event, when all was spoken.',
    payload: z.object({
      chunks: count().describe('`audio` events sent.'),
      duration_ms: count().describe('Of the audio.'),
      elapsed_ms: count().describe('Since the request.'),
      words,
    }),
    example: { chunks: 12, duration_ms: 2_304, elapsed_ms: 1_210 },
  },
  {
    name: 'error',
    summary: 'The last event, in place of `done`.',
    payload: z.object({ code: z.literal('GENERATION_FAILED'), message: z.string() }),
    example: { code: 'GENERATION_FAILED', message: 'speech could not be generated' },
  },
]

export const sseOperation: Operation = {
  id: 'streamSpeech',
  tag: 'speech',
  summary: 'Speak as a stream of events',
  description:
    'Server-sent events: `start`, then `audio` 1, 2, 3 …, then `done` or `error`; comments keep quiet streams open. ' +
    'The events are described in the AsyncAPI document. Leaving stops the speech; what was charged stays charged.',
  keys: ['voice', 'admin'],
  body: {
    mediaType: 'application/json',
    schema: SseFields.meta({ id: 'StreamRequest' }),
    example: { text: TEXT, timestamps: true },
  },
  answers: [
    {
      status: 200,
      description: 'The events, as the audio is made.',
      content: {
        'text/event-stream': {
          example:
            'event: start\ndata: {"sample_rate":24000,"channels":1,"format":"pcm_s16le","encoding":"base64"}\n\n' +
            'event: audio\nid: 1\ndata: {"sequence":1,"audio":"AAABAAIAAwA="}\n\n' +
            'event: done\ndata: {"chunks":1,"duration_ms":200,"elapsed_ms":96}\n\n',
        },
      },
    },
  ],
  errors: { ...SPEAKING, BACKEND_ERROR: [503, 422] },
  events: {
    id: 'speechEvents',
    title: 'Speech as server-sent events',
    description:
      'The answer of `POST /api/v1/tts/sse`. The name of a message is that of its event, its payload the data.',
    sends: events,
  },
}
