import { z } from 'zod'
import { OPENAI_ERROR_TYPES, openAiError } from '../openai/errors.ts'
import { MEDIA_TYPES } from '../openai/speech-answer.ts'
import { OpenAiSpeechFields } from '../openai/speech-fields.ts'
import { OpenAiTranscriptionFields } from '../openai/transcription-fields.ts'
import { count, file } from './envelopes.ts'
import type { Content, ErrorShape, Message, Operation } from './operation.ts'
import { HEARING } from './stt-transcriptions.ts'
import { CHOOSING, PAYING, WITH_KEY } from './usual-errors.ts'

const ERRORS: ErrorShape = {
  schema: (codes) =>
    z.object({
      error: z.object({
        message: z.string(),
        type: z.enum(OPENAI_ERROR_TYPES),
        param: z.string().nullable().describe('The field at fault.'),
        code: z.enum(codes),
      }),
      text: z.string().optional().describe('Of a transcript: what was charged before it ended.'),
    }),
  example: (code, message, status) => openAiError({ code, message, status }),
  headers: (status) => (status < 500 ? {} : { 'X-Should-Retry': ['Of what may have been charged.', 'false'] }),
}

/** The last event of either stream where something fails. */
const errorEvent: Message = {
  name: 'error',
  summary: 'The last event, in place of `done`.',
  payload: z.object({
    type: z.literal('error'),
    error: z.object({
      message: z.string(),
      type: z.enum(OPENAI_ERROR_TYPES),
      param: z.string().nullable(),
      code: z.string(),
    }),
  }),
  example: {
    type: 'error',
    ...openAiError({ code: 'BACKEND_ERROR', status: 500, message: 'speech could not be generated' }),
  },
}

const eventsOf = (messages: readonly Message[]): Content => ({
  example: messages
    .slice(0, -1)
    .map(({ example }) => `data: ${JSON.stringify(example)}\n\n`)
    .join(''),
})

const speechEvents: readonly Message[] = [
  {
    name: 'speech.audio.delta',
    summary: 'The next bytes of the audio, in the format that was asked for.',
    payload: z.object({ type: z.literal('speech.audio.delta'), audio: z.base64() }),
    example: { type: 'speech.audio.delta', audio: 'AAABAAIAAwA=' },
  },
  {
    name: 'speech.audio.done',
    summary: 'The last event. What OpenAI counts in tokens is counted in characters.',
    payload: z.object({
      type: z.literal('speech.audio.done'),
      usage: z.object({ input_tokens: count(), output_tokens: count(), total_tokens: count() }),
    }),
    example: { type: 'speech.audio.done', usage: { input_tokens: 22, output_tokens: 0, total_tokens: 22 } },
  },
  errorEvent,
]

export const openAiSpeechOperation: Operation = {
  id: 'createSpeech',
  tag: 'openai',
  summary: 'Speak',
  description:
    'MP3, WAV and PCM go out while they are made, Opus and FLAC when they are whole. The text is charged before it is spoken.',
  keys: ['voice', 'admin'],
  body: {
    mediaType: 'application/json',
    schema: OpenAiSpeechFields.meta({ id: 'OpenAiSpeechRequest' }),
    example: { model: 'kokoro', voice: 'af_heart', input: 'Hello! This is Syrinx.', response_format: 'wav' },
  },
  answers: [
    {
      status: 200,
      description: 'The audio.',
      headers: { 'X-Service-Chars-Deducted': ['Characters charged.', 22] },
      content: {
        ...Object.fromEntries(Object.values(MEDIA_TYPES).map((mediaType) => [mediaType, {}])),
        'text/event-stream': eventsOf(speechEvents),
      },
    },
  ],
  errors: { ...WITH_KEY, ...CHOOSING, ...PAYING, TEXT_TOO_LONG: [400], BACKEND_ERROR: [500, 503, 422] },
  errorShape: ERRORS,
  events: {
    id: 'openAiSpeechEvents',
    title: 'Speech as OpenAI’s events',
    description:
      'The answer of `POST /v1/audio/speech` with `stream_format: "sse"`. The events have no name but their `type`.',
    sends: speechEvents,
  },
}

const usage = z.object({ type: z.literal('duration'), seconds: z.number().min(0) })
const times = { start: z.number().min(0), end: z.number().min(0) }

const transcriptEvents: readonly Message[] = [
  {
    name: 'transcript.text.delta',
    summary: 'What a piece adds to the text.',
    payload: z.object({ type: z.literal('transcript.text.delta'), delta: z.string() }),
    example: { type: 'transcript.text.delta', delta: 'Good morning.' },
  },
  {
    name: 'transcript.text.done',
    summary: 'The last event: the whole text.',
    payload: z.object({ type: z.literal('transcript.text.done'), text: z.string(), usage }),
    example: { type: 'transcript.text.done', text: 'Good morning.', usage: { type: 'duration', seconds: 1.62 } },
  },
  errorEvent,
]

export const openAiTranscriptionOperation: Operation = {
  id: 'createTranscription',
  tag: 'openai',
  summary: 'Write down what is said in a file',
  description: 'Files, languages and charges are those of `POST /api/v1/stt/transcriptions`.',
  keys: ['stt'],
  body: {
    mediaType: 'multipart/form-data',
    schema: OpenAiTranscriptionFields.extend({ file: file().describe('The recording.') }),
    example: { file: 'meeting.m4a', model: 'whisper-1', response_format: 'srt' },
  },
  answers: [
    {
      status: 200,
      description: 'The transcript.',
      content: {
        'application/json': {
          schema: z.object({
            text: z.string(),
            usage,
            task: z.literal('transcribe').optional().describe('This and what follows with `verbose_json`.'),
            language: z.string().optional().describe('In English.'),
            duration: z.number().min(0).optional().describe('In seconds.'),
            segments: z.array(z.object({ id: count(), ...times, text: z.string() })).optional(),
            words: z.array(z.object({ word: z.string(), ...times })).optional(),
          }),
          example: { text: 'Good morning.', usage: { type: 'duration', seconds: 1.62 } },
        },
        'text/plain': { example: '1\n00:00:00,100 --> 00:00:01,500\nGood morning.\n\n' },
        'text/vtt': { example: 'WEBVTT\n\n00:00:00.100 --> 00:00:01.500\nGood morning.\n\n' },
        'text/event-stream': eventsOf(transcriptEvents),
      },
    },
  ],
  errors: HEARING,
  errorShape: ERRORS,
  events: {
    id: 'openAiTranscriptEvents',
    title: 'A transcript as OpenAI’s events',
    description:
      'The answer of `POST /v1/audio/transcriptions` with `stream=true`. The events have no name but their `type`.',
    sends: transcriptEvents,
  },
}

const Model = z
  .object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })
  .meta({ id: 'OpenAiModel' })
const model = { id: 'kokoro', object: 'model', created: 1_767_225_600, owned_by: 'syrinx' }

export const openAiModelsOperation: Operation = {
  id: 'listModels',
  tag: 'openai',
  summary: 'The models of the node',
  description: 'The one it speaks with, and the one it listens with.',
  keys: ['admin', 'voice', 'stt'],
  answers: [
    {
      status: 200,
      description: 'The models.',
      content: {
        'application/json': {
          schema: z.object({ object: z.literal('list'), data: z.array(Model) }),
          example: { object: 'list', data: [model] },
        },
      },
    },
  ],
  errors: WITH_KEY,
  errorShape: ERRORS,
}

export const openAiModelOperation: Operation = {
  id: 'getModel',
  tag: 'openai',
  summary: 'One model',
  description: 'As the list has it.',
  keys: ['admin', 'voice', 'stt'],
  path: z.object({ id: z.string() }),
  answers: [
    { status: 200, description: 'The model.', content: { 'application/json': { schema: Model, example: model } } },
  ],
  errors: { ...WITH_KEY, NOT_FOUND: [404] },
  errorShape: ERRORS,
}
