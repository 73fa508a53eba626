import type { SynthesisRequest } from '../../speech/synthesis.ts'
import type { Voice } from '../../speech/voice.ts'
import { authenticateSpeaker } from '../authenticate.ts'
import { parseJsonObject, readBody } from '../body.ts'
import { openAiSpeechOperation } from '../documents/openai.ts'
import type { Route } from '../exchange.ts'
import { parseFields } from '../fields.ts'
import { recorded, type Subject } from '../history.ts'
import { paidSpeech } from '../paid-speech.ts'
import type { Services } from '../services.ts'
import { requireSpoken } from '../speech.ts'
import { fileWork, speakFile } from '../speech-file.ts'
import { SpeechAnswer } from './speech-answer.ts'
import { OpenAiSpeechFields } from './speech-fields.ts'
import { streamSpeechAnswer } from './speech-stream.ts'
import { resolveOpenAiVoice } from './voices.ts'

/** `POST /v1/audio/speech`: speaks as OpenAI does, heard while it is made where the format allows it (D33). */
export function openAiSpeech(services: Services): Route {
  return {
    method: 'POST',
    path: '/v1/audio/speech',
    operation: openAiSpeechOperation,
    async handle(exchange) {
      const askedAt = services.clock.monotonic()
      const caller = authenticateSpeaker(services, exchange, 'tts.generate')
      const fields = parseFields(OpenAiSpeechFields, parseJsonObject(await readBody(exchange)))
      const voice = await resolveOpenAiVoice(services, caller, fields.voice)
      requireSpoken(services, fields.input, 'auto', voice)
      const { response_format: format, input, speed } = fields
      const characters = input.length
      const isWhole = format === 'opus' || format === 'flac'
      const work = isWhole ? fileWork({ text: input, speed, duration: null }) : ({ pace: 'live' } as const)
      const { id } = exchange
      const subject: Subject = { id, key: caller.key, voiceId: voice.id, way: 'openai', characters, askedAt }
      const request = synthesisRequest(id, fields, voice, work.pace)
      await paidSpeech(services, subject, work, async (place) => {
        const answer = new SpeechAnswer(exchange, fields)
        if (format !== 'opus' && format !== 'flac') {
          await streamSpeechAnswer(services, answer, format, request, subject, place)
          return
        }
        const { bytes } = await recorded(services, subject, () => speakFile(services, exchange, request, format))
        answer.write(bytes)
        answer.finish(characters)
      })
    },
  }
}

function synthesisRequest(
  id: string,
  { input, speed }: OpenAiSpeechFields,
  voice: Voice,
  pace: SynthesisRequest['pace'],
): SynthesisRequest {
  return {
    id,
    text: input,
    language: 'auto',
    voiceId: voice.id,
    speed,
    durationSeconds: null,
    postprocess: true,
    pace,
  }
}
