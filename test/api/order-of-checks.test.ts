import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { BODY_BYTES_MAX } from '../../src/limits.ts'
import { OWN_VOICE, PRESET_VOICE, QUOTA, TestNode } from './test-node.ts'

/*
 * D9: authenticate → permission → body → fields → voice → engine can speak it → admission → debit. Each endpoint is asked
 * with one mistake of each step, and with every pair of them: the earlier one is told, and nobody pays (promise 5).
 */
const ENDPOINTS = [
  ['/api/v1/tts/generate', { text: 'Hello' }, { text: '' }],
  ['/api/v1/tts/bytes', { text: 'Hello' }, { format: 'ogg' }],
  ['/api/v1/tts/sse', { text: 'Hello' }, { cfg_value: 5 }],
  ['/api/v1/tts/stream-token', { text_length: 5 }, { text_length: 0 }],
] as const

interface Request {
  key: string | null
  body: Record<string, unknown>
  /** Sent instead of `body`. */
  text?: string
}

interface Mistake {
  readonly step: string
  readonly refusal: readonly [status: number, code: string]
  /** Makes the request wrong in this step, and only there. */
  readonly make: (request: Request, wrongField: object) => void
  /** A mistake in a later step can't be made any more: what it would change is not looked at. */
  readonly hides?: readonly string[]
}

let node: TestNode
let switchedOff = ''
beforeAll(async () => {
  node = await TestNode.start()
  const permissions = {
    endpoints: { tts: false, stt: true },
    audioUpload: true,
    keyManagement: true,
    voiceScope: 'all',
    voiceIds: [],
  } as const
  const options = { accountId: node.accountId, kind: 'admin', name: 'Off', permissions } as const
  switchedOff = (await node.ledger.createKey(options)).plaintext
})
afterEach(async () => {
  vi.restoreAllMocks()
  node.synthesizer.speakable = { status: 'spoken' }
  node.admission.full = false
  node.lifecycle.draining = false
  // Each change waits for the disk: only where there is something to change.
  if (node.ledger.account(node.accountId)?.tts.limit !== QUOTA) await setQuota(QUOTA)
})
afterAll(() => node.stop())

const setQuota = (ttsQuota: number) => node.ledger.setAccount(node.accountId, { ttsQuota })

const MISTAKES: readonly Mistake[] = [
  {
    step: 'credential',
    refusal: [401, 'INVALID_API_KEY'],
    make: (request) => {
      request.key = null
    },
    hides: ['permission'],
  },
  {
    step: 'permission',
    refusal: [403, 'PERMISSION_DENIED'],
    make: (request) => {
      request.key = switchedOff
    },
  },
  {
    step: 'body',
    refusal: [400, 'BAD_REQUEST'],
    make: (request) => {
      request.text = `{"text": "${'x'.repeat(BODY_BYTES_MAX)}"}`
    },
    hides: ['field', 'voice'],
  },
  {
    step: 'field',
    refusal: [400, 'BAD_REQUEST'],
    make: (request, wrongField) => {
      Object.assign(request.body, wrongField)
    },
  },
  {
    step: 'voice',
    refusal: [400, 'VOICE_ID_REQUIRED'],
    make: (request) => {
      delete request.body.voice_id
    },
  },
  {
    step: 'features of the voice',
    refusal: [503, 'VOICE_FEATURE_UNAVAILABLE'],
    make: () => {
      vi.spyOn(node.services.voiceFiles, 'load').mockResolvedValue(undefined)
    },
  },
  {
    step: 'language of the engine (D7)',
    refusal: [422, 'BACKEND_ERROR'],
    make: () => {
      node.synthesizer.speakable = { status: 'not_spoken', message: 'install a pack' }
    },
  },
  {
    step: 'admission (D6)',
    refusal: [503, 'BACKEND_ERROR'],
    make: () => {
      node.admission.full = true
    },
  },
  {
    step: 'debit',
    refusal: [403, 'QUOTA_EXCEEDED'],
    make: () => undefined,
  },
]

/** Sends the request with the given mistakes and returns [status, code]. */
async function refusalOf(path: string, valid: object, wrongField: object, mistakes: readonly Mistake[]) {
  const request: Request = { key: node.adminKey, body: { ...valid, voice_id: OWN_VOICE } }
  for (const mistake of mistakes) mistake.make(request, wrongField)
  if (mistakes.some(({ step }) => step === 'debit')) await setQuota(0)
  const response = await node.post(path, request.text ?? request.body, { key: request.key })
  if (response.json.error.code === 'BACKEND_ERROR' && response.status === 503)
    expect(response.headers['Retry-After']).toMatch(/^[1-9]\d*$/)
  return [response.status, response.json.error.code]
}

describe.each(ENDPOINTS)('%s', (path, valid, wrongField) => {
  const speaksNothing = path.endsWith('token')
  const mistakes = MISTAKES.filter(({ step }) => !(speaksNothing && step.startsWith('language')))
  const codeOf = (mistake: Mistake) =>
    mistake.step === 'field' && 'format' in wrongField ? [400, 'INVALID_FORMAT'] : mistake.refusal

  it.each(mistakes.map((mistake) => [mistake.step, mistake] as const))(
    'refuses a wrong %s uncharged',
    async (_, mistake) => {
      expect(await refusalOf(path, valid, wrongField, [mistake])).toEqual(codeOf(mistake))
      expect([node.charged, node.admission.held, node.synthesizer.requests]).toEqual([0, 0, []])
    },
  )

  const pairs = mistakes.flatMap((first, index) =>
    mistakes
      .slice(index + 1)
      .filter((second) => !first.hides?.includes(second.step))
      .map((second) => [first.step, second.step, first, second] as const),
  )
  it.each(pairs)('tells %s before %s', async (_first, _second, first, second) => {
    expect(await refusalOf(path, valid, wrongField, [second, first])).toEqual(codeOf(first))
    expect([node.charged, node.admission.held, node.synthesizer.requests]).toEqual([0, 0, []])
  })

  it('is refused while the node shuts down, uncharged and with Retry-After (D6)', async () => {
    node.lifecycle.draining = true
    expect(await refusalOf(path, valid, wrongField, [])).toEqual([503, 'BACKEND_ERROR'])
    expect(node.charged).toBe(0)
  })
})

describe('scopes (D19a)', () => {
  it.each([
    ['tts.generate', ['/api/v1/tts/generate', '/api/v1/tts/bytes']],
    ['tts.stream', ['/api/v1/tts/sse', '/api/v1/tts/stream-token']],
    ['usage.read', ['/api/v1/usage']],
  ] as const)('%s opens exactly %j', async (scope, open) => {
    const options = { accountId: node.accountId, kind: 'voice', name: 'Narrow', voiceId: PRESET_VOICE } as const
    const { plaintext } = await node.ledger.createKey({ ...options, scopes: [scope] })
    const allowed: string[] = []
    for (const path of [...ENDPOINTS.map(([endpoint]) => endpoint), '/api/v1/usage']) {
      const method = path.endsWith('usage') ? 'GET' : 'POST'
      // No body: past the scope the request fails for that, and costs nothing.
      const response = await node.call(method, path, {}, { key: plaintext })
      if (response.status !== 403) allowed.push(path)
      else expect(response.json.error.code).toBe('INVALID_API_KEY')
    }
    expect(allowed).toEqual(open)
  })
})
