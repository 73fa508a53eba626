import assert from 'node:assert/strict'
import type { ModelFile } from './model-file.ts'

/** Sizes of a Whisper model; its kin differ in nothing else. */
export interface WhisperShape {
  readonly width: number
  readonly encoderHeads: number
  readonly encoderLayers: number
  readonly decoderHeads: number
  readonly decoderLayers: number
  /** Bands of the spectrogram: 80, or 128. */
  readonly melBands: number
  readonly vocabulary: number
  /** Positions of the encoder, 20 ms each. */
  readonly framesMax: number
  readonly tokensMax: number
}

/** Throws where the file holds another kind of model. `layersMax`: counts no more layers on each side. */
export function readShape(file: ModelFile, layersMax = Number.POSITIVE_INFINITY): WhisperShape {
  assert.equal(file.specification, 'WhisperSpec', 'the model is not a Whisper model')
  const size = (name: string, axis: number) => file.dims(name)[axis] ?? 0
  const layers = (side: string) => {
    const norms = file.names.filter((name) => name.startsWith(`${side}/`) && name.endsWith('/ffn/layer_norm/gamma'))
    return Math.min(norms.length, layersMax)
  }
  return {
    width: size('encoder/layer_norm/gamma', 0),
    encoderHeads: file.number('encoder/num_heads'),
    encoderLayers: layers('encoder'),
    decoderHeads: file.number('decoder/num_heads'),
    decoderLayers: layers('decoder'),
    melBands: size('encoder/conv1/weight', 1),
    vocabulary: size('decoder/embeddings/weight', 0),
    framesMax: size('encoder/position_encodings/encodings', 0),
    tokensMax: size('decoder/position_encodings/encodings', 0),
  }
}
