import type { Generation } from '../../ledger/ledger.ts'
import type { SynthesisRequest } from '../../speech/synthesis.ts'
import { linkSignals } from '../abort-signals.ts'
import { ApiError, asApiError, describe } from '../errors.ts'
import { ClientGone } from '../exchange.ts'
import { recordGeneration, type Subject } from '../history.ts'
import type { Services } from '../services.ts'
import { pcmFrameBytes, type StreamEnd, streamSpeech } from '../speech-stream.ts'
import { EncodedOutlet } from './encoded-outlet.ts'
import { openAiError } from './errors.ts'
import { pieceEncoder, type StreamedFormat } from './piece-encoders.ts'
import type { SpeechAnswer } from './speech-answer.ts'

/**
 * Speaks into an answer that goes out as it is made. A fault before its first bytes is thrown; later it is an event where there are
 * events, and otherwise thrown, too, which cuts the connection.
 */
export async function streamSpeechAnswer(
  services: Services,
  answer: SpeechAnswer,
  format: StreamedFormat,
  request: SynthesisRequest,
  subject: Subject,
  place: { release(): void },
): Promise<void> {
  const { clock, lifecycle, log, observer, synthesizer } = services
  const outlet = new EncodedOutlet(pieceEncoder(services, format), answer, pcmFrameBytes(synthesizer.sampleRate))
  answer.onOpen(() => observer.firstAudio(subject.way, clock.monotonic() - subject.askedAt))
  const { signal, unlink } = linkSignals(answer.closed, lifecycle.stopped, outlet.failed)
  const ended = observer.speechBegan(subject.way, () => outlet.bufferedBytes)
  let end: StreamEnd | undefined
  let outcome: Generation['outcome'] = 'failed'
  try {
    end = await streamSpeech(services, request, outlet, signal, ({ samples }) => outlet.push(samples))
    await outlet.settled()
    if (end.status === 'failed') throw end.error
    if (end.status === 'stopped') throw new ApiError('BACKEND_ERROR', 'the node is shutting down', { status: 503 })
    await outlet.finish()
    outcome = 'completed'
    // Before the last bytes: who has read them may find the place free.
    place.release()
    answer.finish(subject.characters)
  } catch (error) {
    if (outcome !== 'completed') outlet.discard()
    if (answer.closed.aborted) {
      outcome = 'cancelled'
      throw new ClientGone()
    }
    if (!answer.isOpen || !answer.takesEvents) throw error
    log.error({ requestId: request.id, ...describe(error) }, 'stream failed')
    answer.fail({ type: 'error', ...openAiError(asApiError(error)) })
    observer.errorTold(asApiError(error).code)
  } finally {
    unlink()
    ended()
    await recordGeneration(services, subject, outcome, end?.durationMs ?? 0)
  }
}
