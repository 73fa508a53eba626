import type { AudioFormat, FileFormat } from '../pipelines/encode-file.ts'
import { Demand } from '../runtime/demand.ts'
import type { Work } from '../speech/admission.ts'
import { speechSeconds } from '../speech/speech-length.ts'
import type { SynthesisRequest } from '../speech/synthesis.ts'
import { linkSignals } from './abort-signals.ts'
import { ApiError } from './errors.ts'
import { ClientGone, type Exchange } from './exchange.ts'
import type { FileFields } from './fields.ts'
import type { Services } from './services.ts'
import { speak } from './speech.ts'

export const CONTENT_TYPES: Readonly<Record<AudioFormat, string>> = { mp3: 'audio/mpeg', wav: 'audio/wav' }

/** What a file to be spoken takes of the node. */
export function fileWork({ text, speed, duration }: Pick<FileFields, 'text' | 'speed' | 'duration'>) {
  return { pace: 'batch', speechSeconds: duration ?? speechSeconds(text) / speed } as const satisfies Work
}

/**
 * Speaks into a whole file. Stops when the client leaves (`ClientGone`) or the node's time to drain is over
 * (`BACKEND_ERROR` 503). Other errors: `SynthesisFailed`.
 */
export async function speakFile(
  services: Pick<Services, 'synthesizer' | 'encoder' | 'lifecycle'>,
  exchange: Exchange,
  request: SynthesisRequest,
  format: FileFormat,
): Promise<{ readonly bytes: Uint8Array; readonly durationMs: number }> {
  const { synthesizer, encoder, lifecycle } = services
  const { signal, unlink } = linkSignals(exchange.closed, lifecycle.stopped)
  try {
    const frames = speak(services, request, Demand.unbounded())
    return await encoder.encode(frames, format, synthesizer.sampleRate, signal)
  } catch (error) {
    if (exchange.closed.aborted) throw new ClientGone()
    if (lifecycle.stopped.aborted) throw new ApiError('BACKEND_ERROR', 'the node is shutting down', { status: 503 })
    throw error
  } finally {
    unlink()
  }
}
