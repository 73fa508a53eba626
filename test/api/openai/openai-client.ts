import OpenAI from 'openai'
import * as edgeErrors from '../../../src/api/edge-errors.ts'
import { renderError } from '../../../src/api/errors.ts'
import { routes } from '../../../src/api/routes.ts'
import { type Edge, startEdge } from '../../http/edge.ts'
import type { TestNode } from '../test-node.ts'

/** OpenAI's own client, and a test node behind a real socket. */
export async function connectOpenAi(node: TestNode): Promise<{ as: (key: string) => OpenAI; edge: Edge; url: string }> {
  const { requests, sockets } = routes(node.services)
  const edge = await startEdge({
    routes: requests,
    sockets,
    errors: edgeErrors,
    renderError: (error, exchange) => renderError(error, exchange, node.services.log, node.services.observer),
  })
  const url = `http://127.0.0.1:${edge.port}/v1`
  return { edge, url, as: (apiKey) => new OpenAI({ apiKey, baseURL: url, maxRetries: 0 }) }
}

/** The error that OpenAI's client throws. */
export async function refused(call: PromiseLike<unknown>): Promise<object> {
  try {
    await call
  } catch (error) {
    if (error instanceof OpenAI.APIError) {
      const { status, type, code, param } = error
      return { status, type, code, param }
    }
    throw error
  }
  throw new Error('it was not refused')
}
