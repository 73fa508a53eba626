import { z } from 'zod'
import { success } from './envelopes.ts'
import type { Answer, Operation } from './operation.ts'
import { ANY_REQUEST } from './usual-errors.ts'

const NAMED = { 'Content-Disposition': ['A name for the file.', 'attachment; filename="service.wav"'] } as const
const TAGGED = {
  ETag: ['Of the file.', '"9f2c.wav"'],
  'Accept-Ranges': ['In what parts of it can be asked for.', 'bytes'],
} as const

const file = (status: number, description: string, headers: Answer['headers'] = {}): Answer => ({
  status,
  description,
  headers: { ...TAGGED, ...headers },
  content: { 'audio/wav': {}, 'audio/mpeg': {} },
})

export const audioOperation: Operation = {
  id: 'downloadAudio',
  tag: 'speech',
  summary: 'Download a finished file',
  description: 'The address is one that the service gave: its signature stands for a key, for 24 hours.',
  keys: [],
  path: z.object({ file: z.string() }),
  query: z.object({ expires: z.string(), signature: z.string() }),
  headers: z.object({
    Range: z.string().optional().describe('One range of bytes.'),
    'If-Range': z.string().optional(),
    'If-None-Match': z.string().optional(),
  }),
  answers: [
    file(200, 'The file.', NAMED),
    file(206, 'The part that was asked for.', {
      ...NAMED,
      'Content-Range': ['Which part it is.', 'bytes 0-99/480044'],
    }),
    { status: 304, description: 'It is the file that the client has.', headers: TAGGED },
  ],
  errors: { ...ANY_REQUEST, BAD_REQUEST: [400, 416], NOT_FOUND: [404] },
}

const status = (value: 'ok' | 'ready'): Answer => ({
  status: 200,
  description: 'Yes.',
  content: {
    'application/json': {
      schema: success(z.object({ status: z.literal(value) })),
      example: { ok: true, data: { status: value } },
    },
  },
})

export const healthzOperation: Operation = {
  id: 'isAlive',
  tag: 'node',
  summary: 'Whether the process answers',
  description: 'Says nothing of the models.',
  keys: [],
  answers: [status('ok')],
  errors: ANY_REQUEST,
}

export const readyzOperation: Operation = {
  id: 'isReady',
  tag: 'node',
  summary: 'Whether the node takes work',
  description: 'The models are warm, the ledger is open, and the node is not shutting down.',
  keys: [],
  answers: [status('ready')],
  errors: ANY_REQUEST,
}

export const metricsOperation: Operation = {
  id: 'getMetrics',
  tag: 'node',
  summary: 'Figures for Prometheus',
  description: 'Not for the world: the reverse proxy must not pass it on.',
  keys: [],
  answers: [
    {
      status: 200,
      description: 'The figures.',
      content: { 'text/plain': { example: '# TYPE syrinx_streams_open gauge\nsyrinx_streams_open{way="sse"} 1\n' } },
    },
  ],
  errors: ANY_REQUEST,
}

const document = (kind: string): Pick<Operation, 'tag' | 'keys' | 'answers' | 'errors'> => ({
  tag: 'node',
  keys: [],
  answers: [
    { status: 200, description: 'The document.', content: { 'application/json': { example: { [kind]: '…' } } } },
  ],
  errors: ANY_REQUEST,
})

export const openApiOperation: Operation = {
  id: 'getOpenApi',
  summary: 'This document',
  description: 'OpenAPI 3.1, made from the schemas by which requests are checked.',
  ...document('openapi'),
}

export const asyncApiOperation: Operation = {
  id: 'getAsyncApi',
  summary: 'The document of streams and sockets',
  description: 'AsyncAPI 3.0.',
  ...document('asyncapi'),
}
