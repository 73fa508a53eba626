import assert from 'node:assert/strict'
import type { HarmonicSource } from '../../workers/harmonic-source.ts'
import { openSession, tensor } from '../../workers/session.ts'
import type { Graph } from '../onnx/graph.ts'
import { FLOAT32 } from '../onnx/tensor.ts'
import { ShippedWeights } from './weights.ts'

const PATH = '/decoder/decoder/generator'
const PITCH = '/encoder/Reshape_output_0'
const SPECTRA = `${PATH}/Concat_3_output_0`
/** Half frames of silence, of which a row in the middle is read: long enough that both ends are far away. */
const SILENCE = 16
const ROWS_PER_HALF_FRAME = 60

/** Reads the harmonic source out of the shipped graph, and asks it what it makes of silence. Cuts the graph. */
export async function readSource(shipped: Graph): Promise<HarmonicSource> {
  const weights = new ShippedWeights(shipped)
  const amplitude = Number(weights.operand(`${PATH}/m_source/l_sin_gen/Mul_5`, 1).values[0])
  const mixing = Float32Array.from(weights.operand(`${PATH}/m_source/l_linear/MatMul`, 1).values, Number)
  const [bias = 0] = weights.floats('decoder.decoder.generator.m_source.l_linear.bias')

  shipped.cut(
    [{ name: PITCH, type: FLOAT32, dims: [1, 'half_frames'] }],
    [{ name: SPECTRA, type: FLOAT32, dims: [1, 22, 'rows'] }],
  )
  const session = await openSession(shipped.serialize())
  const result = await session.run({ [PITCH]: tensor('float32', new Float32Array(SILENCE), [1, SILENCE]) })
  await session.release()
  const spectra = result[SPECTRA]
  assert.ok(spectra?.data instanceof Float32Array)
  const [, width = 0, rows = 0] = spectra.dims
  const values = spectra.data
  const middle = (SILENCE / 2) * ROWS_PER_HALF_FRAME
  return {
    harmonics: Array.from(mixing, (weight) => weight * amplitude),
    bias,
    unvoiced: Array.from({ length: width }, (_, bin) => values[bin * rows + middle] ?? 0),
  }
}
