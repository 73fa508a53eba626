import { setMaxListeners } from 'node:events'
import { audioDownload } from './audio-download.ts'
import { documents } from './documents.ts'
import type { Route, SocketRoute } from './exchange.ts'
import { healthz, readyz } from './health.ts'
import { keys } from './keys.ts'
import { metrics } from './metrics.ts'
import { openAiRoutes } from './openai/routes.ts'
import { playground } from './playground.ts'
import type { Services } from './services.ts'
import { streamToken } from './stream-token.ts'
import { sttSocket } from './stt-socket.ts'
import { sttTranscriptions } from './stt-transcriptions.ts'
import { ttsBytes } from './tts-bytes.ts'
import { ttsGenerate } from './tts-generate.ts'
import { ttsSocket } from './tts-socket.ts'
import { ttsSse } from './tts-sse.ts'
import { usage } from './usage.ts'
import { voiceDeletion } from './voice-deletion.ts'
import { voiceEnrollment } from './voice-enrollment.ts'

/** Every endpoint of the node, in the contract's order, and then those beside the contract. */
export function routes(services: Services): {
  readonly requests: readonly Route[]
  readonly sockets: readonly SocketRoute[]
} {
  // Each running request listens for the node's end; without this Node takes the eleventh for a leak.
  setMaxListeners(0, services.lifecycle.stopped)
  const requests = [
    voiceEnrollment(services),
    voiceDeletion(services),
    ttsGenerate(services),
    ttsBytes(services),
    ttsSse(services),
    streamToken(services),
    usage(services),
    keys(services),
    sttTranscriptions(services),
    audioDownload(services),
    healthz(),
    readyz(services),
    metrics(services),
    ...(services.openAi === undefined ? [] : openAiRoutes(services)),
  ]
  const sockets = [ttsSocket(services), sttSocket(services)]
  const pages = services.playground === undefined ? [] : [playground(services.playground)]
  return { requests: [...requests, ...documents(services, requests, sockets), ...pages], sockets }
}
