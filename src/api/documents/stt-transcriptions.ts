import { z } from 'zod'
import type { ErrorCode } from '../error-codes.ts'
import { AUDIO_FIELDS, UploadFields, UploadQuery } from '../stt-fields.ts'
import { count, file, success } from './envelopes.ts'
import type { ErrorStatuses, Message, Operation } from './operation.ts'

const seconds = () => z.number().min(0)

const Word = z
  .object({ word: z.string(), start: seconds(), end: seconds() })
  .meta({ id: 'HeardWord', description: 'A word, and when it is said in seconds.' })

const words = z.array(Word).optional().describe('With `word_timestamps=true`.')

const Segment = z
  .object({ index: count(), start: seconds(), end: seconds(), text: z.string(), language: z.string(), words })
  .meta({ id: 'Segment', description: 'A piece of a recording, about ten seconds. Times are seconds from its start.' })

const Transcript = z
  .object({
    text: z.string(),
    language: z.string().describe('That most of it is in.'),
    is_final: z.literal(true),
    provider: z.string(),
    model: z.string(),
    duration_seconds: seconds(),
    latency_ms: count().describe('From the last byte of the upload.'),
    segments: z.array(Segment),
  })
  .meta({ id: 'Transcript' })

const transcript = {
  text: 'Good morning.',
  language: 'en',
  is_final: true,
  provider: 'syrinx',
  model: 'whisper-base',
  duration_seconds: 1.62,
  latency_ms: 412,
  segments: [{ index: 0, start: 0.1, end: 1.5, text: 'Good morning.', language: 'en' }],
}

/** Of speech-to-text over REST. */
export const HEARING: ErrorStatuses = {
  BAD_REQUEST: [400],
  bad_request: [400],
  INVALID_API_KEY: [401, 403],
  unauthorized: [401],
  FORBIDDEN: [403],
  KEY_CREDIT_EXCEEDED: [403],
  QUOTA_EXCEEDED: [403],
  FILE_TOO_LARGE: [413],
  unsupported_audio_format: [415],
  stt_upstream_error: [502],
  SERVICE_NOT_CONFIGURED: [503],
  STT_UNAVAILABLE: [503],
  // The network edge refuses a connection before it is known what it wants.
  BACKEND_ERROR: [503],
  model_not_ready: [503],
  INTERNAL_ERROR: [500],
  internal_error: [500],
}

const CODES_AFTER_START = [
  'KEY_CREDIT_EXCEEDED',
  'QUOTA_EXCEEDED',
  'unauthorized',
  'FORBIDDEN',
  'stt_upstream_error',
  'STT_UNAVAILABLE',
  'internal_error',
] as const satisfies ErrorCode[]

const lines: readonly Message[] = [
  {
    name: 'started',
    summary: 'The first line.',
    payload: z.object({
      type: z.literal('started'),
      duration_seconds: seconds(),
      chunks_total: count(),
      provider: z.string(),
      model: z.string(),
    }),
    example: {
      type: 'started',
      duration_seconds: 1.62,
      chunks_total: 1,
      provider: transcript.provider,
      model: transcript.model,
    },
  },
  {
    name: 'chunk',
    summary: 'A piece, and the text so far.',
    payload: Segment.extend({ type: z.literal('chunk'), chunks_total: count(), combined_text: z.string() }),
    example: {
      type: 'chunk',
      index: 0,
      chunks_total: 1,
      start: 0.1,
      end: 1.5,
      text: 'Good morning.',
      language: 'en',
      combined_text: 'Good morning.',
    },
  },
  {
    name: 'final',
    summary: 'The last line: the whole transcript.',
    payload: Transcript.extend({ type: z.literal('final') }),
    example: { type: 'final', ...transcript },
  },
  {
    name: 'error',
    summary: 'The last line, in place of `final`. What was charged was delivered before.',
    payload: z.object({ type: z.literal('error'), code: z.enum(CODES_AFTER_START), message: z.string() }),
    example: { type: 'error', code: 'stt_upstream_error', message: 'the audio could not be transcribed' },
  },
]

export const transcriptionOperation: Operation = {
  id: 'transcribeFile',
  tag: 'transcripts',
  summary: 'Write down what is said in a file',
  description:
    'Up to 100 MiB and 30 minutes of WAV, MP3, MP4, WebM, OGG, FLAC, AAC, AIFF, CAF, WMA or AMR. Characters are charged as they become ' +
    'final; silence costs nothing. Where a transcript ends early, the error comes with what was charged by then, as `data` beside it. Codes ' +
    'in lower case mean that the audio had been looked at.',
  keys: ['stt'],
  query: UploadQuery,
  body: {
    mediaType: 'multipart/form-data',
    schema: UploadFields.extend({
      audio: file().optional().describe('The recording; needed, under this name or as `file`.'),
      file: file().optional().describe('The same as `audio`.'),
    }).meta({ oneOf: AUDIO_FIELDS.map((name) => ({ required: [name] })) }),
    example: { audio: 'meeting.m4a', language: 'en' },
  },
  answers: [
    {
      status: 200,
      description: 'The transcript; with `stream=true` as lines, which the AsyncAPI document describes.',
      content: {
        'application/json': { schema: success(Transcript), example: { ok: true, data: transcript } },
        'application/x-ndjson': {
          example: lines
            .map(({ example }) => JSON.stringify(example))
            .slice(0, 3)
            .join('\n'),
        },
      },
    },
  ],
  errors: HEARING,
  errorShape: {
    schema: (codes) =>
      z.object({
        ok: z.literal(false),
        error: z.object({ code: z.enum(codes), message: z.string() }),
        data: Transcript.optional().describe('What was charged before the transcript ended.'),
      }),
    example: (code, message) => ({ ok: false, error: { code, message } }),
  },
  events: {
    id: 'transcriptLines',
    title: 'A transcript line by line',
    description:
      'The answer of `POST /api/v1/stt/transcriptions?stream=true`: one JSON object a line, told apart by `type`.',
    sends: lines,
  },
}
