import assert from 'node:assert/strict'
import { LogMel } from '../../workers/log-mel.ts'
import { HOP_SAMPLES } from '../../workers/mel-power.ts'
import { openSession, type Tensor, tensor } from '../../workers/session.ts'
import { decoderGraph } from './decoder-graph.ts'
import { encoderGraph } from './encoder-graph.ts'
import { formOf, type WhisperForm } from './forms.ts'
import type { ModelFile } from './model-file.ts'
import { readShape } from './shape.ts'

/** Layers on each side that the test runs: every kind of layer and product, at a fraction of a large model's memory. */
const LAYERS = 2
const POSITIONS = 100
const TOKENS = [0, 1, 2, 3]

/** What a model computes of a test signal. */
type Outcome = readonly Float32Array[]

/** The first layers of the model on a test signal, in float32. */
export function computeReference(file: ModelFile): Promise<Outcome> {
  return compute(file, 'float')
}

/** The largest relative difference of any output of the form: 0 means equal, 1 unrelated. */
export async function differenceToReference(file: ModelFile, form: WhisperForm, reference: Outcome): Promise<number> {
  const outcome = await compute(file, form)
  return Math.max(...reference.map((expected, index) => relativeDifference(expected, outcome[index])))
}

async function compute(file: ModelFile, form: WhisperForm): Promise<Outcome> {
  const { melBands, decoderHeads, width, framesMax } = readShape(file)
  const frames = 2 * Math.min(POSITIONS, framesMax)
  const mel = new LogMel(melBands).compute(buzz(frames * HOP_SAMPLES), frames)
  const encoder = await openSession(encoderGraph(file, formOf(form), LAYERS).serialize())
  const heard = await encoder.run({ mel: tensor('float32', mel, [1, melBands, frames]) })
  await encoder.release()

  const decoder = await openSession(decoderGraph(file, formOf(form), [[0, 0]], LAYERS).serialize())
  const empty = tensor('float32', new Float32Array(0), [decoderHeads, 0, width / decoderHeads])
  const feeds: Record<string, Tensor> = { ...heard, tokens: tensor('int64', tokens(), [TOKENS.length]) }
  for (const name of decoder.inputNames) if (name.startsWith('past.')) feeds[name] = empty
  const { scores } = await decoder.run(feeds)
  await decoder.release()
  return [...Object.values(heard), scores].map((output) => {
    assert.ok(output?.data instanceof Float32Array)
    return output.data.slice()
  })
}

/** A voice's harmonics, gliding, in bursts. */
function buzz(samples: number): Float32Array {
  return Float32Array.from({ length: samples }, (_, at) => {
    const phase = at * 0.05 + 3 * Math.sin(at * 0.0004)
    const harmonics = [1, 2, 3, 4, 5, 7, 10, 15].reduce((sum, order) => sum + Math.sin(order * phase) / order, 0)
    return 0.2 * harmonics * Math.max(0, Math.sin(at * 0.001))
  })
}

function tokens(): BigInt64Array {
  return BigInt64Array.from(TOKENS, BigInt)
}

function relativeDifference(expected: Float32Array, found: Float32Array | undefined): number {
  let [gap, size] = [0, 0]
  for (const [at, value] of expected.entries()) {
    gap += (value - (found?.[at] ?? 0)) ** 2
    size += value ** 2
  }
  // No number at all is as far off as can be.
  return Number.isFinite(gap) ? Math.sqrt(gap / size) : Number.POSITIVE_INFINITY
}
