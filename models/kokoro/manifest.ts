import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** Raised with every change of the graphs: an installation of another version is made anew. */
export const GRAPH_VERSION = 9

/** Files of an installed model, beside its manifest. */
export const GRAPH_FILES = {
  duration: 'duration.onnx',
  prosody: 'prosody.onnx',
  window: 'window.onnx',
  whole: 'whole.onnx',
} as const
/** Large constants of both decoders. */
export const DECODER_WEIGHTS_FILE = 'decoder.weights'

const MANIFEST_FILE = 'manifest.json'

const manifestSchema = z.object({
  /** Changes whenever the same shipped file would give other graphs. */
  graphVersion: z.number().int(),
  form: z.enum(['fast', 'plain']),
  /** Log-spectral distance to the shipped graph that the self-test measured, in dB. */
  distanceDb: z.object({ whole: z.number(), window: z.number() }),
  source: z.object({
    harmonics: z.array(z.number()).readonly(),
    bias: z.number(),
    unvoiced: z.array(z.number()).readonly(),
  }),
  /** Length of a conditioning vector, in floats. */
  conditioningSize: z.number().int(),
  sha256: z.record(z.string(), z.string()),
})
/** What an installation found out about the model, for those who load it. */
export type KokoroManifest = z.infer<typeof manifestSchema>

/** Throws where there is no installation, or one whose manifest has another shape. */
export async function readManifest(installedDir: string): Promise<KokoroManifest> {
  return manifestSchema.parse(JSON.parse(await readFile(join(installedDir, MANIFEST_FILE), 'utf8')))
}

export async function writeManifest(installedDir: string, manifest: KokoroManifest): Promise<void> {
  await writeFile(join(installedDir, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`)
}
