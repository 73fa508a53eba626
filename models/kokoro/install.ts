import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Graph } from '../onnx/graph.ts'
import { WeightsFile } from '../onnx/weights-file.ts'
import { wholeDecoder, windowDecoder } from './decoder-graph.ts'
import type { WeightForm } from './layers.ts'
import {
  DECODER_WEIGHTS_FILE,
  GRAPH_FILES,
  GRAPH_VERSION,
  type KokoroManifest,
  readManifest,
  writeManifest,
} from './manifest.ts'
import { durationGraph, prosodyGraph } from './planner-graphs.ts'
import { distanceToReference, type ReferenceDistance, type SpokenReference, speakReference } from './self-test.ts'
import { readSource } from './source-parameters.ts'
import { ShippedWeights } from './weights.ts'

/**
 * Largest distance to the shipped graph at which a form counts as correct, in dB. Measured: 5.6 whole and 5.8 as one window, most of
 * it from rounding to 8 bits at other places; with all weights clipped to half their range it is more than 8.
 */
const DISTANCE_DB_MAX = 6.2
const SELF_TEST_VOICE = 'af_heart.bin'
const FORMS: readonly WeightForm[] = ['fast', 'plain']
const STEPS = FORMS.length * 2 + 2

export interface InstallOptions {
  /** The graph as it is published: `kokoro-v1.0.int8.onnx`. */
  readonly shippedGraph: string
  /** Appears, or is replaced, when everything in it is written and tested. */
  readonly outputDir: string
  /** Folder of style tables, `<name>.bin`. */
  readonly voices: string
  readonly onStep?: (step: number, of: number, label: string) => void
}

export interface InstallResult {
  readonly form: WeightForm
  /** Set where the fast form cannot be trusted on this machine. */
  readonly warning?: string
}

/**
 * Rewrites the shipped graph into those the workers run, then speaks a sentence with both: where the fast form disagrees, the plain
 * one is installed. Does nothing where this version is installed already; throws where no form agrees.
 */
export async function installKokoro(options: InstallOptions): Promise<InstallResult> {
  const installed = await readManifest(options.outputDir).catch(() => undefined)
  if (installed?.graphVersion === GRAPH_VERSION) return { form: installed.form }

  let step = 0
  const report = (label: string) => options.onStep?.(++step, STEPS, label)
  await mkdir(dirname(options.outputDir), { recursive: true })
  const folder = await mkdtemp(join(dirname(options.outputDir), '.installing-'))
  try {
    report('reading the model')
    const shipped = await readFile(options.shippedGraph)
    const source = await readSource(Graph.parse(shipped))
    report('speaking with the model as shipped')
    const reference = await speakReference(shipped, join(options.voices, SELF_TEST_VOICE))

    const rejections: string[] = []
    for (const form of FORMS) {
      report(`rewriting, ${form} form`)
      const written = await writeGraphs(shipped, form, folder)
      const manifest: KokoroManifest = {
        graphVersion: GRAPH_VERSION,
        form,
        source,
        distanceDb: { whole: 0, window: 0 },
        ...written,
      }
      await writeManifest(folder, manifest)
      report(`comparing, ${form} form`)
      const comparison = await compare(folder, reference)
      if (comparison.status === 'rejected') {
        rejections.push(`${form}: ${comparison.reason}`)
        continue
      }
      const { distanceDb } = comparison
      await writeManifest(folder, { ...manifest, distanceDb })
      await chmod(folder, 0o755)
      await rm(options.outputDir, { recursive: true, force: true })
      await rename(folder, options.outputDir)
      return form === 'fast'
        ? { form }
        : { form, warning: `not the shipped model's speech on this processor: ${rejections.join('; ')}` }
    }
    throw new Error(`no form of the rewritten model speaks like the shipped one: ${rejections.join('; ')}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Comparison =
  | { readonly status: 'accepted'; readonly distanceDb: ReferenceDistance }
  | { readonly status: 'rejected'; readonly reason: string }

async function compare(folder: string, reference: SpokenReference): Promise<Comparison> {
  try {
    const distanceDb = await distanceToReference(folder, reference)
    const { whole, window } = distanceDb
    if (Math.max(whole, window) <= DISTANCE_DB_MAX) return { status: 'accepted', distanceDb }
    return { status: 'rejected', reason: `${whole.toFixed(1)} dB off whole, ${window.toFixed(1)} dB in a window` }
  } catch (error) {
    // A wrong product anywhere soon makes the signal infinite, which the engine refuses to return.
    return { status: 'rejected', reason: error instanceof Error ? error.message : String(error) }
  }
}

type WrittenGraphs = Pick<KokoroManifest, 'sha256' | 'conditioningSize'>

async function writeGraphs(bytes: Uint8Array, form: WeightForm, folder: string): Promise<WrittenGraphs> {
  const shipped = Graph.parse(bytes)
  const weights = new ShippedWeights(shipped)
  const window = windowDecoder(weights, form)
  const size = window.inputs.find((port) => port.name === 'conditioning')?.dims[0]
  assert.ok(typeof size === 'number')
  const sha256: Record<string, string> = {}
  const write = async (file: string, contents: Uint8Array) => {
    sha256[file] = createHash('sha256').update(contents).digest('hex')
    await writeFile(join(folder, file), contents)
  }
  const decoderWeights = new WeightsFile(DECODER_WEIGHTS_FILE)
  await write(GRAPH_FILES.window, window.serialize(decoderWeights))
  await write(GRAPH_FILES.whole, wholeDecoder(weights, form).serialize(decoderWeights))
  await write(DECODER_WEIGHTS_FILE, decoderWeights.bytes())
  await write(GRAPH_FILES.prosody, prosodyGraph(weights, form).serialize())
  // Last, because it is the shipped graph itself, cut.
  await write(GRAPH_FILES.duration, durationGraph(shipped, weights, form).serialize())
  return { sha256, conditioningSize: size }
}
