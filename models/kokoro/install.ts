import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { wholeDecoder, windowDecoder } from './decoder-graph.ts'
import { Graph } from './graph.ts'
import type { WeightForm } from './layers.ts'
import { GRAPH_FILES, type KokoroManifest, readManifest, writeManifest } from './manifest.ts'
import { durationGraph, prosodyGraph } from './planner-graphs.ts'
import { distanceToReference, speakReference } from './self-test.ts'
import { readSource } from './source-parameters.ts'
import { ShippedWeights } from './weights.ts'

/** Raised with every change of the graphs: an installation of another version is made anew. */
export const GRAPH_VERSION = 2
/** Largest distance to the shipped graph at which a decoder counts as correct, in dB. */
const DISTANCE_DB_MAX = 8
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

    const distances: string[] = []
    for (const form of FORMS) {
      report(`rewriting, ${form} form`)
      const written = await writeGraphs(shipped, form, folder)
      const manifest: KokoroManifest = { graphVersion: GRAPH_VERSION, form, source, distanceDb: 0, ...written }
      await writeManifest(folder, manifest)
      report(`comparing, ${form} form`)
      const distanceDb = await distanceToReference(folder, reference)
      distances.push(`${distanceDb.toFixed(1)} dB`)
      if (distanceDb > DISTANCE_DB_MAX) continue

      await writeManifest(folder, { ...manifest, distanceDb })
      await chmod(folder, 0o755)
      await rm(options.outputDir, { recursive: true, force: true })
      await rename(folder, options.outputDir)
      return form === 'fast'
        ? { form }
        : { form, warning: `fast form rejected: ${distances[0]} from the shipped model` }
    }
    throw new Error(`the rewritten model does not sound like the shipped one: ${distances.join(', ')} off`)
  } finally {
    await rm(folder, { recursive: true, force: true })
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
  const write = async (file: string, graph: Graph) => {
    const encoded = graph.serialize()
    sha256[file] = createHash('sha256').update(encoded).digest('hex')
    await writeFile(join(folder, file), encoded)
  }
  await write(GRAPH_FILES.window, window)
  await write(GRAPH_FILES.whole, wholeDecoder(weights, form))
  await write(GRAPH_FILES.prosody, prosodyGraph(weights, form))
  // Last, because it is the shipped graph itself, cut.
  await write(GRAPH_FILES.duration, durationGraph(shipped, weights, form))
  return { sha256, conditioningSize: size }
}
