import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Tensor } from 'onnxruntime-node'
import { modelInput, symbolIds } from '../models/kokoro/symbols.ts'
import { createPhonemizer } from '../src/speech/phonemizer.ts'
import { STYLE_WIDTH } from '../src/speech/style-classes.ts'
import type { Pronunciation } from '../src/speech/task-protocol.ts'
import { openSession } from '../workers/session.ts'

/** The model as its makers ship it, decoding whole texts: what the rewritten and windowed one is compared with. */
export interface ShippedKokoro {
  /** Samples in [-1, 1] at 24 kHz. */
  speak(text: string, pronunciation: Pronunciation, voice: string): Promise<Float32Array>
}

export async function loadShippedKokoro(modelsDir: string): Promise<ShippedKokoro> {
  const session = await openSession(join(modelsDir, 'kokoro-82m', 'kokoro-v1.0.int8.onnx'))
  const phonemizer = await createPhonemizer()
  return {
    async speak(text, pronunciation, voice) {
      const ids = symbolIds(phonemizer.phonemes(text, pronunciation))
      const tokens = modelInput(ids)
      const table = await readFile(join(modelsDir, 'kokoro-voices', 'voices', `${voice}.bin`))
      const floats = new Float32Array(table.buffer.slice(table.byteOffset, table.byteOffset + table.byteLength))
      const { audio } = await session.run({
        tokens: new Tensor('int64', tokens, [1, tokens.length]),
        style: new Tensor('float32', floats.slice(ids.length * STYLE_WIDTH, (ids.length + 1) * STYLE_WIDTH), [
          1,
          STYLE_WIDTH,
        ]),
        speed: new Tensor('float32', Float32Array.of(1), [1]),
      })
      return audio!.data as Float32Array
    },
  }
}
