import { defer, type Observable, throwIfEmpty } from 'rxjs'
import type { Demand } from '../runtime/demand.ts'
import { type PcmFrame, SynthesisFailed, type SynthesisRequest, type WordListener } from '../speech/synthesis.ts'
import type { Voice } from '../speech/voice.ts'
import { ApiError } from './errors.ts'
import type { FileFields, SseFields, StartFields } from './fields.ts'
import type { Services } from './services.ts'

type Speaker = Pick<Services, 'synthesizer'>

/** Throws `BACKEND_ERROR` 422 when the loaded engine can't speak this (D7). */
export function requireSpoken({ synthesizer }: Speaker, text: string, language: string, voice: Voice): void {
  const answer = synthesizer.canSpeak(text, language, voice.id)
  if (answer.status === 'not_spoken') throw new ApiError('BACKEND_ERROR', answer.message, { status: 422 })
}

/** What the engine is asked for. */
export function synthesisRequest(
  id: string,
  fields: FileFields | SseFields | StartFields,
  voice: Voice,
  pace: SynthesisRequest['pace'],
  durationSeconds: number | null = null,
): SynthesisRequest {
  return {
    id,
    text: fields.text,
    language: fields.language,
    voiceId: voice.id,
    speed: fields.speed,
    durationSeconds,
    postprocess: fields.postprocess_output,
    pace,
    ...('timestamps' in fields && fields.timestamps && { timestamps: true }),
  }
}

/** Frames of the spoken text. Everything that goes wrong comes out as an error of the observable, silence included. */
export function speak(
  { synthesizer }: Speaker,
  request: SynthesisRequest,
  demand: Demand,
  onWord?: WordListener,
): Observable<PcmFrame> {
  return defer(() => synthesizer.synthesize(request, demand, onWord)).pipe(
    throwIfEmpty(() => new SynthesisFailed('the engine made no audio')),
  )
}
