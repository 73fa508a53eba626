import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** Raised with every change of the graphs: an installation of another version is made anew. */
export const WHISPER_VERSION = 2

/** Files of an installed model, beside its manifest. */
export const WHISPER_FILES = { encoder: 'encoder.onnx', decoder: 'decoder.onnx', texts: 'texts.json' } as const
/** Large constants of both graphs. */
export const WHISPER_WEIGHTS_FILE = 'whisper.weights'

const MANIFEST_FILE = 'manifest.json'

const count = z.number().int().positive()
const token = z.number().int().nonnegative()
const manifestSchema = z.object({
  version: z.number().int(),
  /** See `WhisperForm`. */
  form: z.enum(['mixed', 'blocks', 'float']),
  /** Relative difference of the form to the model in float32 that the self-test measured. */
  difference: z.number(),
  shape: z.object({
    width: count,
    encoderHeads: count,
    encoderLayers: count,
    decoderHeads: count,
    decoderLayers: count,
    melBands: count,
    vocabulary: count,
    framesMax: count,
    tokensMax: count,
  }),
  endOfText: token,
  startOfTranscript: token,
  noTimestamps: token,
  noSpeech: token,
  multilingual: z.object({ transcribe: token, languages: z.record(z.string(), token) }).optional(),
  suppressed: z.array(token),
  suppressedAtStart: z.array(token),
})
/** What an installation found out about the model, for those who load it. */
export type WhisperManifest = z.infer<typeof manifestSchema>

/** Throws where there is no installation, or one whose manifest has another shape. */
export async function readWhisperManifest(installedDir: string): Promise<WhisperManifest> {
  return manifestSchema.parse(JSON.parse(await readFile(join(installedDir, MANIFEST_FILE), 'utf8')))
}

export async function writeWhisperManifest(installedDir: string, manifest: WhisperManifest): Promise<void> {
  await writeFile(join(installedDir, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** The languages that a model knows, in Whisper's codes. */
export function heardLanguages({ multilingual }: WhisperManifest): readonly string[] {
  return multilingual === undefined ? ['en'] : Object.keys(multilingual.languages)
}

/** Texts of the tokens, in GPT-2's spelling of bytes, up to `endOfText`. */
export async function readTexts(installedDir: string): Promise<readonly string[]> {
  return z.array(z.string()).parse(JSON.parse(await readFile(join(installedDir, WHISPER_FILES.texts), 'utf8')))
}
