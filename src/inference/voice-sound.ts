import { createHash } from 'node:crypto'
import { EQUALISER_TAPS } from '../audio/equaliser.ts'
import { STYLE_CLASSES, STYLE_WIDTH } from '../speech/style-classes.ts'
import type { FeatureState, VoiceFeatures } from '../speech/voice-fitting.ts'
import type { VoiceSound } from './voice-styles.ts'

/** Of a voice as it stays, and of one whose place another will take. */
const SIGNATURE = 0x5652_5953
const SKETCH_SIGNATURE = 0x5652_4b53
/** Raised with every change of the layout, of the style classes, or of what the numbers mean. */
const VERSION = 2
const HEADER_BYTES = 8
const CHECKSUM_BYTES = 32
const ROWS = STYLE_CLASSES.length * STYLE_WIDTH
const FLOATS = 2 + ROWS + EQUALISER_TAPS
const BYTES = HEADER_BYTES + FLOATS * Float32Array.BYTES_PER_ELEMENT + CHECKSUM_BYTES

/**
 * A fitted voice as bytes, little-endian:
 *
 *   u32 signature │ u32 version │ f32 pitch │ f32 hertz │ f32 rows [classes, 256] │ f32 equaliser [taps] │ SHA-256 of all before
 */
export function encodeVoiceSound({ pitch, hertz, rows, equaliser, isSketch }: Required<VoiceSound>): VoiceFeatures {
  const bytes = new Uint8Array(BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, isSketch ? SKETCH_SIGNATURE : SIGNATURE, true)
  view.setUint32(4, VERSION, true)
  const floats = new Float32Array(bytes.buffer, HEADER_BYTES, FLOATS)
  floats.set([pitch, hertz])
  floats.set(rows, 2)
  floats.set(equaliser, 2 + ROWS)
  bytes.set(checksumOf(bytes), BYTES - CHECKSUM_BYTES)
  return bytes
}

/** Undefined where the bytes are damaged, or of another version. */
export function decodeVoiceSound(features: VoiceFeatures): Required<VoiceSound> | undefined {
  if (features.length !== BYTES) return undefined
  // Not `slice`: a Buffer's would share its memory, wherever that begins.
  const bytes = new Uint8Array(features)
  const view = new DataView(bytes.buffer)
  const signature = view.getUint32(0, true)
  const isSketch = signature === SKETCH_SIGNATURE
  if ((!isSketch && signature !== SIGNATURE) || view.getUint32(4, true) !== VERSION) return undefined
  if (!checksumOf(bytes).equals(bytes.subarray(BYTES - CHECKSUM_BYTES))) return undefined
  const floats = new Float32Array(bytes.buffer, HEADER_BYTES, FLOATS)
  const [pitch, hertz] = [floats[0]!, floats[1]!]
  return { pitch, hertz, rows: floats.slice(2, 2 + ROWS), equaliser: floats.slice(2 + ROWS), isSketch }
}

export function stateOfFeatures(features: VoiceFeatures): FeatureState {
  const sound = decodeVoiceSound(features)
  if (sound === undefined) return 'lost'
  return sound.isSketch ? 'sketch' : 'refined'
}

function checksumOf(bytes: Uint8Array): Buffer {
  return createHash('sha256')
    .update(bytes.subarray(0, BYTES - CHECKSUM_BYTES))
    .digest()
}
