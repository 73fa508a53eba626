import type { Route } from '../exchange.ts'
import type { Services } from '../services.ts'
import { openAiModels } from './models.ts'
import { openAiSpeech } from './speech.ts'
import { openAiTranscriptions } from './transcriptions.ts'

/** What clients written for OpenAI call (D33). */
export function openAiRoutes(services: Services): readonly Route[] {
  return [openAiSpeech(services), openAiTranscriptions(services), ...openAiModels(services)]
}
