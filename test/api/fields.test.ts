import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseJsonObject } from '../../src/api/body.ts'
import { ApiError } from '../../src/api/errors.ts'
import { FileFields, parseFields, SseFields, StartFields, StreamTokenFields } from '../../src/api/fields.ts'
import { TEXT_LENGTH_MAX, TOKEN_TEXT_LENGTH_MAX } from '../../src/limits.ts'

const FILE = { text: 'Hello' }
const START = { type: 'start', text: 'Hello' }
const TOKEN = { text_length: 5 }

/** [code, message] of the refusal, or the parsed fields. */
function outcome<T>(schema: z.ZodType<T>, body: object): T | [string, string] {
  try {
    return parseFields(schema, body)
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.message]
    throw error
  }
}

describe('defaults', () => {
  const advanced = {
    do_normalize: false,
    use_prompt_text: false,
    prompt_text: '',
    preprocess_prompt: true,
    postprocess_output: true,
  }
  const common = { text: 'Hello', language: 'auto', speed: 1, cfg_value: 2 }

  it('of generate and bytes are the contract’s', () => {
    const file = { format: 'mp3', duration: null, dit_steps: 10, denoise: false }
    expect(parseFields(FileFields, FILE)).toEqual({ ...common, ...advanced, ...file })
  })

  it('of SSE are the same without a duration', () => {
    expect(parseFields(SseFields, FILE)).toEqual({
      ...common,
      ...advanced,
      format: 'mp3',
      dit_steps: 10,
      denoise: false,
      timestamps: false,
    })
  })

  it('of the socket’s start differ in dit_steps and denoise', () => {
    expect(parseFields(StartFields, START)).toEqual({
      ...common,
      ...advanced,
      type: 'start',
      dit_steps: 8,
      denoise: true,
      timestamps: false,
    })
  })

  it('of a stream token are none', () => {
    expect(parseFields(StreamTokenFields, TOKEN)).toEqual(TOKEN)
  })
})

describe('a field', () => {
  it.each<[string, unknown, unknown]>([
    ['text', 'x', 'x'],
    ['text', ' x ', ' x '],
    ['voice_id', 'preset_ada', 'preset_ada'],
    ['language', 'auto', 'auto'],
    ['language', 'AUTO', 'auto'],
    ['language', 'en', 'en'],
    ['language', 'EN', 'en'],
    ['language', 'english', 'en'],
    ['language', 'Arbëreshë Albanian', 'aae'],
    ['language', 'eng', 'en'],
    ['format', 'wav', 'wav'],
    ['speed', 0.5, 0.5],
    ['speed', 0.49, 0.5],
    ['speed', -3, 0.5],
    ['speed', 1.5, 1.5],
    ['speed', 1.51, 1.5],
    ['speed', 1e300, 1.5],
    ['duration', null, null],
    ['duration', 0.5, 0.5],
    ['duration', 30, 30],
    ['cfg_value', 0, 0],
    ['cfg_value', 4, 4],
    ['dit_steps', 0, 0],
    ['dit_steps', 64, 64],
    ['do_normalize', true, true],
    ['denoise', true, true],
    ['use_prompt_text', true, true],
    ['prompt_text', 'as said', 'as said'],
    ['preprocess_prompt', false, false],
    ['postprocess_output', false, false],
  ])('%s takes %j as %j', (field, value, expected) => {
    expect(outcome(FileFields, { ...FILE, [field]: value })).toMatchObject({ [field]: expected })
  })

  const notBoolean = 'must be true or false'
  const badDuration = 'must be null or a number of seconds from 0.5 to 30'
  const badCfg = 'must be a number from 0 to 4'
  const badSteps = 'must be a whole number from 0 to 64'
  const badLanguage = 'must be auto, or the code or name of a language of the catalog'

  it.each<[string, unknown, string, string]>([
    ['text', undefined, 'BAD_REQUEST', 'is required'],
    ['text', null, 'BAD_REQUEST', 'must be a string'],
    ['text', 5, 'BAD_REQUEST', 'must be a string'],
    ['text', '', 'BAD_REQUEST', 'must not be empty'],
    ['text', ' \n\t\u00a0', 'BAD_REQUEST', 'must not be empty'],
    ['voice_id', 7, 'BAD_REQUEST', 'must be a string'],
    ['voice_id', null, 'BAD_REQUEST', 'must be a string'],
    ['language', 'klingon', 'INVALID_LANGUAGE', badLanguage],
    ['language', '', 'INVALID_LANGUAGE', badLanguage],
    ['language', ' en', 'INVALID_LANGUAGE', badLanguage],
    ['language', 5, 'INVALID_LANGUAGE', badLanguage],
    ['language', null, 'INVALID_LANGUAGE', badLanguage],
    ['format', 'MP3', 'INVALID_FORMAT', 'must be mp3 or wav'],
    ['format', 'ogg', 'INVALID_FORMAT', 'must be mp3 or wav'],
    ['format', null, 'INVALID_FORMAT', 'must be mp3 or wav'],
    ['speed', '1.0', 'BAD_REQUEST', 'must be a finite number'],
    ['speed', Number.POSITIVE_INFINITY, 'BAD_REQUEST', 'must be a finite number'],
    ['speed', null, 'BAD_REQUEST', 'must be a finite number'],
    ['duration', 0.499, 'BAD_REQUEST', badDuration],
    ['duration', 30.001, 'BAD_REQUEST', badDuration],
    ['duration', '3', 'BAD_REQUEST', badDuration],
    ['cfg_value', -0.001, 'BAD_REQUEST', badCfg],
    ['cfg_value', 4.001, 'BAD_REQUEST', badCfg],
    ['cfg_value', '2', 'BAD_REQUEST', badCfg],
    ['cfg_value', Number.POSITIVE_INFINITY, 'BAD_REQUEST', badCfg],
    ['dit_steps', -1, 'BAD_REQUEST', badSteps],
    ['dit_steps', 65, 'BAD_REQUEST', badSteps],
    ['dit_steps', 9.5, 'BAD_REQUEST', badSteps],
    ['dit_steps', '10', 'BAD_REQUEST', badSteps],
    ['do_normalize', 'false', 'BAD_REQUEST', notBoolean],
    ['denoise', 0, 'BAD_REQUEST', notBoolean],
    ['use_prompt_text', null, 'BAD_REQUEST', notBoolean],
    ['prompt_text', 5, 'BAD_REQUEST', 'must be a string'],
    ['preprocess_prompt', 'yes', 'BAD_REQUEST', notBoolean],
    ['postprocess_output', 1, 'BAD_REQUEST', notBoolean],
  ])('%s refuses %j with %s (D10)', (field, value, code, rule) => {
    expect(outcome(FileFields, { ...FILE, [field]: value })).toEqual([code, `${field} ${rule}`])
  })

  it('nobody knows is ignored (D10)', () => {
    expect(parseFields(FileFields, { ...FILE, model: 'x', stream: 7 })).not.toHaveProperty('model')
  })
})

describe('the length of a text', () => {
  const tooLong = ['TEXT_TOO_LONG', 'text must be at most 5000 characters']

  it.each<[string, string, unknown]>([
    ['5,000 letters', 'x'.repeat(TEXT_LENGTH_MAX), undefined],
    ['5,001 letters', 'x'.repeat(TEXT_LENGTH_MAX + 1), tooLong],
    ['2,500 emoji, two units each', '😀'.repeat(TEXT_LENGTH_MAX / 2), undefined],
    ['2,500 emoji and a letter', `${'😀'.repeat(TEXT_LENGTH_MAX / 2)}x`, tooLong],
    ['5,001 spaces, which are empty', ' '.repeat(TEXT_LENGTH_MAX + 1), ['BAD_REQUEST', 'text must not be empty']],
  ])('counts UTF-16 units: %s', (_, text, refusal) => {
    expect(outcome(FileFields, { text })).toEqual(refusal ?? expect.objectContaining({ text }))
  })
})

describe('duration on SSE', () => {
  it.each([0.1, 31, 'soon', null, {}])('%j is ignored', (duration) => {
    expect(parseFields(SseFields, { ...FILE, duration }).text).toBe('Hello')
  })
})

describe('text_length', () => {
  const rule = 'text_length must be a whole number from 1 to 10000'

  it.each([1, 10_000])('%j is taken', (textLength) => {
    expect(parseFields(StreamTokenFields, { text_length: textLength })).toEqual({ text_length: textLength })
  })

  it.each([0, -1, 10_001, 1.5, '5', null, Number.POSITIVE_INFINITY])('%j is refused', (textLength) => {
    expect(outcome(StreamTokenFields, { text_length: textLength })).toEqual(['BAD_REQUEST', rule])
  })

  it('must be there', () => {
    expect(outcome(StreamTokenFields, {})).toEqual(['BAD_REQUEST', 'text_length is required'])
  })
})

describe('the start message', () => {
  it.each([
    [{ text: 'Hello' }, ['BAD_REQUEST', 'type is required']],
    [{ type: 'begin', text: 'Hello' }, ['BAD_REQUEST', 'type must be start']],
    [{ type: 'start' }, ['BAD_REQUEST', 'text is required']],
    [{ type: 'start', text: ' ' }, ['BAD_REQUEST', 'text must not be empty']],
    [{ ...START, timestamps: 1 }, ['BAD_REQUEST', 'timestamps must be true or false']],
    [{ ...START, denoise: 'no' }, ['BAD_REQUEST', 'denoise must be true or false']],
  ])('%j is refused', (message, refusal) => {
    expect(outcome(StartFields, message)).toEqual(refusal)
  })

  it('takes at most 10,000 characters, whatever the token says', () => {
    expect(outcome(StartFields, { ...START, text: 'x'.repeat(TOKEN_TEXT_LENGTH_MAX) })).toMatchObject({ speed: 1 })
    const refusal = ['TEXT_TOO_LONG', 'text must be at most 10000 characters']
    expect(outcome(StartFields, { ...START, text: 'x'.repeat(TOKEN_TEXT_LENGTH_MAX + 1) })).toEqual(refusal)
  })

  it('ignores duration and format', () => {
    expect(parseFields(StartFields, { ...START, duration: 99, format: 'ogg' })).not.toHaveProperty('duration')
  })
})

describe('of several mistakes', () => {
  /** One wrong value a field, in the contract's order. */
  const WRONG = {
    text: '',
    voice_id: 1,
    language: 'klingon',
    format: 'ogg',
    speed: 'fast',
    duration: 99,
    cfg_value: 9,
    dit_steps: 99,
    do_normalize: 1,
    denoise: 1,
    use_prompt_text: 1,
    prompt_text: 1,
    preprocess_prompt: 1,
    postprocess_output: 1,
  }
  const fields = Object.entries(WRONG)
  const pairs = fields.flatMap(([first], index) => fields.slice(index + 1).map(([second]) => [first, second] as const))

  it.each(pairs)('the earlier is told: %s before %s (D9)', (first, second) => {
    const wrong = fields.filter(([field]) => field === second || field === first).reverse()
    expect(outcome(FileFields, { ...FILE, ...Object.fromEntries(wrong) })).toEqual([
      expect.any(String),
      expect.stringMatching(new RegExp(`^${first} `)),
    ])
  })
})

describe('a body', () => {
  it.each<[string, Uint8Array | string, string]>([
    ['is empty', '', 'body must be JSON in UTF-8'],
    ['is not JSON', '{text:1}', 'body must be JSON in UTF-8'],
    ['is not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), 'body must be JSON in UTF-8'],
    ['is an array', '[]', 'body must be a JSON object'],
    ['is null', 'null', 'body must be a JSON object'],
    ['is a string', '"text"', 'body must be a JSON object'],
  ])('that %s is BAD_REQUEST (D3)', (_, body, message) => {
    expect(() => parseJsonObject(body)).toThrow(message)
  })

  it('is an object, from bytes or text', () => {
    expect(parseJsonObject(Buffer.from('{"text":"é"}'))).toEqual({ text: 'é' })
    expect(parseJsonObject('{"type":"cancel"}')).toEqual({ type: 'cancel' })
  })
})

describe('the schemas', () => {
  it.each([
    ['generate', FileFields, ['text']],
    ['SSE', SseFields, ['text']],
    ['stream token', StreamTokenFields, ['text_length']],
    ['start', StartFields, ['type', 'text']],
  ])('describe the input of %s', (_, schema, required) => {
    const described = z.toJSONSchema(schema, { io: 'input' })
    expect(described.required).toEqual(required)
    for (const field of Object.keys(schema.shape)) expect(described.properties).toHaveProperty(field)
  })
})
