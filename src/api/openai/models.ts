import { authenticate } from '../authenticate.ts'
import { openAiModelOperation, openAiModelsOperation } from '../documents/openai.ts'
import { notFound } from '../edge-errors.ts'
import { replyJson } from '../envelope.ts'
import type { Route } from '../exchange.ts'
import type { Services } from '../services.ts'

type ModelServices = Pick<Services, 'ledger' | 'clock' | 'openAi' | 'transcriber'>

/** `GET /v1/models` and `GET /v1/models/{id}`: what this node speaks and listens with, to any key. */
export function openAiModels(services: ModelServices): readonly Route[] {
  const names = [services.openAi?.speechModel ?? [], services.transcriber?.model ?? []].flat()
  const created = Math.floor(services.clock.now() / 1_000)
  const models = names.map((id) => ({ id, object: 'model', created, owned_by: 'syrinx' }))
  return [
    {
      method: 'GET',
      path: '/v1/models',
      operation: openAiModelsOperation,
      handle(exchange) {
        authenticate(services, exchange, ANY_KEY)
        replyJson(exchange, 200, { object: 'list', data: models })
      },
    },
    {
      method: 'GET',
      path: '/v1/models/:id',
      operation: openAiModelOperation,
      handle(exchange) {
        authenticate(services, exchange, ANY_KEY)
        const model = models.find(({ id }) => id === exchange.params.id)
        if (model === undefined) throw notFound('there is no such model: see GET /v1/models')
        replyJson(exchange, 200, model)
      },
    },
  ]
}

const ANY_KEY = { kinds: ['admin', 'voice', 'stt'] } as const
