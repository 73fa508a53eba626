import { z } from 'zod'
import { SPEED_MAX, SPEED_MIN, TEXT_LENGTH_MAX } from '../../limits.ts'
import { required, text } from '../fields.ts'

/** Formats of `POST /v1/audio/speech`. */
export const SPEECH_FORMATS = ['mp3', 'opus', 'flac', 'wav', 'pcm'] as const
export type SpeechFormat = (typeof SPEECH_FORMATS)[number]

const SPEED_RANGE = [0.25, 4] as const
const speedRule = `must be a number from ${SPEED_RANGE[0]} to ${SPEED_RANGE[1]}`
const formatRule = `must be one of ${SPEECH_FORMATS.join(', ')}`
const voiceRule = 'must be a voice: its id, or an object with its id'

/** Body of `POST /v1/audio/speech`. `instructions` and whatever else OpenAI knows is ignored. */
export const OpenAiSpeechFields = z.object({
  model: z.string(required('must be a string')).min(1, 'must not be empty').describe('Any name: a node has one model.'),
  input: text(TEXT_LENGTH_MAX),
  voice: z
    .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)], voiceRule)
    .optional()
    .describe('An id with or without `preset_`, or one of OpenAI’s names. A voice key implies its voice.'),
  response_format: z.enum(SPEECH_FORMATS, formatRule).default('mp3').describe('`pcm` is PCM16, mono, 24 kHz.'),
  speed: z
    .number(speedRule)
    .min(SPEED_RANGE[0], speedRule)
    .max(SPEED_RANGE[1], speedRule)
    .transform((value) => Math.min(SPEED_MAX, Math.max(SPEED_MIN, value)))
    .prefault(1)
    .describe(`Clamped to ${SPEED_MIN}..${SPEED_MAX}.`),
  stream_format: z
    .enum(['audio', 'sse'], 'must be audio or sse')
    .default('audio')
    .describe('`sse`: events that hold the audio in base64.'),
})
export type OpenAiSpeechFields = z.infer<typeof OpenAiSpeechFields>
