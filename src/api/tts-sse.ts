import { SSE_KEEP_ALIVE_MS } from '../limits.ts'
import type { Clock } from '../runtime/clock.ts'
import type { SynthesisRequest } from '../speech/synthesis.ts'
import { linkSignals } from './abort-signals.ts'
import { authenticateSpeaker } from './authenticate.ts'
import { parseJsonObject, readBody } from './body.ts'
import { sseOperation } from './documents/tts.ts'
import { describe } from './errors.ts'
import type { FrameSink, Route } from './exchange.ts'
import { parseFields, SseFields } from './fields.ts'
import { recordGeneration, type Subject } from './history.ts'
import { paidSpeech } from './paid-speech.ts'
import { encodeEvent, KEEP_ALIVE_COMMENT } from './server-sent-events.ts'
import type { Services } from './services.ts'
import { requireSpoken, synthesisRequest } from './speech.ts'
import { pcmFrameBytes, streamSpeech, timesOf } from './speech-stream.ts'
import { resolveVoice } from './voice-access.ts'

/** `POST /api/v1/tts/sse`: speaks as a stream of events, each with a piece of PCM16. */
export function ttsSse(services: Services): Route {
  return {
    method: 'POST',
    path: '/api/v1/tts/sse',
    operation: sseOperation,
    async handle(exchange) {
      const askedAt = services.clock.monotonic()
      const caller = authenticateSpeaker(services, exchange, 'tts.stream')
      const fields = parseFields(SseFields, parseJsonObject(await readBody(exchange)))
      const voice = await resolveVoice(services, caller, fields.voice_id)
      requireSpoken(services, fields.text, fields.language, voice)
      const { id } = exchange
      const characters = fields.text.length
      const subject: Subject = { id, key: caller.key, voiceId: voice.id, way: 'sse', characters, askedAt }
      const request = synthesisRequest(id, fields, voice, 'live')
      await paidSpeech(services, subject, { pace: 'live' }, (place) =>
        streamEvents(services, exchange.open(200, HEADERS), request, subject, place),
      )
    },
  }
}

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
}
/** Of an `audio` event beside its base64: names, punctuation and two sequence numbers. */
const EVENT_OVERHEAD_BYTES = 96

/** `start`, `audio` 1, 2, 3 …, then one `done` or one `error`; nothing more to a client that has gone. */
async function streamEvents(
  services: Services,
  sink: FrameSink,
  request: SynthesisRequest,
  subject: Subject,
  place: { release(): void },
): Promise<void> {
  const { clock, lifecycle, log, observer, synthesizer } = services
  const sampleRate = synthesizer.sampleRate
  sink.write(
    encodeEvent({
      event: 'start',
      data: { sample_rate: sampleRate, channels: 1, format: 'pcm_s16le', encoding: 'base64' },
    }),
  )

  const stopKeepAlive = keepAlive(clock, sink)
  const { signal, unlink } = linkSignals(sink.closed, lifecycle.stopped)
  const outlet = {
    get bufferedBytes() {
      return sink.bufferedBytes
    },
    frameBytes: Math.ceil(pcmFrameBytes(sampleRate) / 3) * 4 + EVENT_OVERHEAD_BYTES,
    onDrain: (callback: () => void) => sink.onDrain(callback),
  }
  const ended = observer.speechBegan(subject.way, () => sink.bufferedBytes)
  const end = await streamSpeech(services, request, outlet, signal, ({ samples, sequence }) => {
    const audio = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64')
    sink.write(encodeEvent({ event: 'audio', id: sequence, data: { sequence, audio } }))
    if (sequence === 1) observer.firstAudio(subject.way, clock.monotonic() - subject.askedAt)
  })
  // Before the last event: who has read it may find the place free.
  place.release()
  ended()
  stopKeepAlive()
  unlink()

  const gone = end.status === 'stopped' && sink.closed.aborted
  if (end.status === 'completed') {
    const elapsedMs = Math.round(clock.monotonic() - subject.askedAt)
    const data = { chunks: end.chunks, duration_ms: end.durationMs, elapsed_ms: elapsedMs, ...timesOf(end) }
    sink.write(encodeEvent({ event: 'done', data }))
  } else if (!gone) {
    if (end.error !== undefined) log.error({ requestId: request.id, ...describe(end.error) }, 'stream failed')
    const message = end.status === 'failed' ? 'speech could not be generated' : 'the node is shutting down'
    sink.write(encodeEvent({ event: 'error', data: { code: 'GENERATION_FAILED', message } }))
    observer.errorTold('GENERATION_FAILED')
  }
  sink.end()
  const outcome = end.status === 'completed' ? 'completed' : gone ? 'cancelled' : 'failed'
  await recordGeneration(services, subject, outcome, end.durationMs)
}

/** Writes a comment every 15 s until told to stop (D26). A reader with bytes still to read needs none. */
function keepAlive(clock: Clock, sink: FrameSink): () => void {
  let cancel = () => {}
  const tick = () => {
    if (sink.bufferedBytes === 0) sink.write(KEEP_ALIVE_COMMENT)
    cancel = clock.after(SSE_KEEP_ALIVE_MS, tick)
  }
  cancel = clock.after(SSE_KEEP_ALIVE_MS, tick)
  return () => cancel()
}
