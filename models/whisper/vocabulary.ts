import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** From this size on a Whisper vocabulary is that of a model for many languages. */
const MULTILINGUAL_SIZE_MIN = 51_865

/** What a model's tokens mean. A token is its position in the vocabulary. */
export interface Vocabulary {
  /** Tokens of text, in GPT-2's spelling of bytes; everything from `endOfText` on is a sign to the model. */
  readonly texts: readonly string[]
  readonly endOfText: number
  readonly startOfTranscript: number
  readonly noTimestamps: number
  /** Its probability at the start is that of nothing being said. */
  readonly noSpeech: number
  /** Undefined: the model knows English only, and is not told what to do. */
  readonly multilingual:
    | { readonly transcribe: number; readonly languages: Readonly<Record<string, number>> }
    | undefined
}

/** Reads `vocabulary.json` or `vocabulary.txt` of a CTranslate2 folder. Throws where neither fits Whisper. */
export async function readVocabulary(folder: string): Promise<Vocabulary> {
  const tokens = await readTokens(folder)
  const numbers = new Map(tokens.map((token, number) => [token, number]))
  const find = (...names: readonly string[]) => {
    const found = names.map((name) => numbers.get(`<|${name}|>`)).find((number) => number !== undefined)
    assert.ok(found !== undefined, `the vocabulary has no token ${names[0]}`)
    return found
  }
  const endOfText = find('endoftext')
  const startOfTranscript = find('startoftranscript')
  return {
    texts: tokens.slice(0, endOfText),
    endOfText,
    startOfTranscript,
    noTimestamps: find('notimestamps'),
    noSpeech: find('nospeech', 'nocaptions'),
    multilingual:
      tokens.length < MULTILINGUAL_SIZE_MIN
        ? undefined
        : {
            transcribe: find('transcribe'),
            languages: languagesOf(tokens, startOfTranscript + 1, find('translate')),
          },
  }
}

async function readTokens(folder: string): Promise<readonly string[]> {
  const read = (name: string) => readFile(join(folder, name), 'utf8').catch(() => undefined)
  const list = await read('vocabulary.json')
  if (list !== undefined) return z.array(z.string()).parse(JSON.parse(list))
  const lines = await read('vocabulary.txt')
  assert.ok(lines !== undefined, `${folder} has neither vocabulary.json nor vocabulary.txt`)
  return lines.replace(/\n$/, '').split('\n')
}

/** `<|en|>` and its like, between the sign that starts a transcript and those for tasks. */
function languagesOf(tokens: readonly string[], from: number, to: number): Readonly<Record<string, number>> {
  return Object.fromEntries(
    tokens.slice(from, to).map((token, index) => [token.replaceAll(/[<|>]/g, ''), from + index] as const),
  )
}

/** Settings that the model's makers put beside it; what is missing is left out of decoding. */
export interface DecodingSettings {
  /** Tokens that are never said, such as brackets around noises. */
  readonly suppressed: readonly number[]
  /** Not as the first. */
  readonly suppressedAtStart: readonly number[]
  /** Attention heads that follow the audio: [layer, head]. Undefined: not known for this model. */
  readonly alignmentHeads: readonly (readonly [number, number])[] | undefined
}

const tokenList = z.array(z.number().int().nonnegative()).nullish()
const configSchema = z.object({
  suppress_ids: tokenList,
  suppress_ids_begin: tokenList,
  alignment_heads: z.array(z.tuple([z.number().int(), z.number().int()])).nullish(),
})

export async function readDecodingSettings(folder: string): Promise<DecodingSettings> {
  const config = configSchema.parse(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')))
  return {
    suppressed: config.suppress_ids ?? [],
    suppressedAtStart: config.suppress_ids_begin ?? [],
    alignmentHeads: config.alignment_heads?.length ? config.alignment_heads : undefined,
  }
}
