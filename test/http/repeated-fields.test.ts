import { beforeEach, describe, expect, it } from 'vitest'
import type { TestNode } from '../api/test-node.ts'
import { startWholeNode, type WholeNode } from '../whole-node.ts'

/*
 * Fields of a form that come twice: one that the endpoint knows is refused, any other is ignored as it is when it comes once (D10).
 */

interface Endpoint {
  readonly path: string
  readonly keyOf: (node: TestNode) => string
  readonly file: string
  /** The known fields, each with a value that is taken. */
  readonly fields: Readonly<Record<string, string>>
  readonly success: number
}

const ENDPOINTS: readonly Endpoint[] = [
  {
    path: '/api/v1/stt/transcriptions',
    keyOf: ({ sttKey }) => sttKey,
    file: 'audio',
    fields: { language: 'en' },
    success: 200,
  },
  {
    path: '/api/v1/voices',
    keyOf: ({ adminKey }) => adminKey,
    file: 'file',
    fields: { name: 'Ada', consent: 'true', description: 'calm', gender: 'other' },
    success: 201,
  },
  {
    path: '/v1/audio/transcriptions',
    keyOf: ({ sttKey }) => sttKey,
    file: 'file',
    fields: { model: 'whisper-1', language: 'en', response_format: 'json', temperature: '0', stream: 'false' },
    success: 200,
  },
]

let node: WholeNode
beforeEach(async () => {
  node = await startWholeNode({}, { openAi: { speechModel: 'scripted' } })
  node.inner.recognizer.texts = ['Good morning.']
})

function formOf({ file, fields }: Endpoint): FormData {
  const form = new FormData()
  form.append(file, new File(['2'], 'speech.wav', { type: 'audio/wav' }))
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

async function send({ path, keyOf }: Endpoint, body: FormData) {
  const headers = { Authorization: `Bearer ${keyOf(node.inner)}` }
  const response = await fetch(`http://127.0.0.1:${node.port}${path}`, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

describe.each(ENDPOINTS)('$path', (endpoint) => {
  it('takes a form whose unknown field comes twice', async () => {
    const form = formOf(endpoint)
    for (const value of ['1', '2']) form.append('mood', value)
    expect((await send(endpoint, form)).status).toBe(endpoint.success)
  })

  it.each(Object.entries(endpoint.fields))('refuses %s that comes twice', async (name, value) => {
    const form = formOf(endpoint)
    form.append(name, value)
    const { status, text } = await send(endpoint, form)
    expect([status, JSON.parse(text).error.message]).toEqual([400, `"${name}" must be sent once`])
  })

  it('refuses a second file, though not one it does not know', async () => {
    const form = formOf(endpoint)
    for (const name of ['cover', 'cover']) form.append(name, new File(['png'], 'cover.png'))
    expect((await send(endpoint, form)).status).toBe(endpoint.success)
    form.append(endpoint.file, new File(['2'], 'again.wav'))
    expect((await send(endpoint, form)).status).toBe(400)
  })
})
