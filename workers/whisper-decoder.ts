import assert from 'node:assert/strict'
import type { WhisperManifest } from '../models/whisper/manifest.ts'
import { type Feeds, floats, type Session, type Tensor, tensor } from './session.ts'

/** What the encoder heard: keys and values for every layer of the decoder. */
export type Heard = Feeds

/** One transcript being written: the tokens so far, as the decoder remembers them. */
export class WhisperDecoder {
  readonly #session: Session
  readonly #heard: Heard
  readonly #withAlignment: boolean
  readonly #outputs: readonly string[]
  readonly #alignments: Tensor[] = []
  #past: Record<string, Tensor> = {}

  /** `withAlignment`: keeps where in the audio each token looked. */
  constructor(session: Session, { shape }: WhisperManifest, heard: Heard, withAlignment: boolean) {
    this.#session = session
    this.#heard = heard
    this.#withAlignment = withAlignment
    this.#outputs = session.outputNames.filter((name) => withAlignment || name !== 'alignment')
    const nothing = tensor('float32', new Float32Array(0), [shape.decoderHeads, 0, shape.width / shape.decoderHeads])
    for (const name of session.inputNames) if (name.startsWith('past.')) this.#past[name] = nothing
  }

  /** Takes the next tokens and returns the scores of whatever may follow them: [vocabulary], the model's until the next call. */
  async next(tokens: readonly number[]): Promise<Float32Array> {
    const given = tensor('int64', BigInt64Array.from(tokens, BigInt), [tokens.length])
    const feeds = { ...this.#heard, ...this.#past, tokens: given }
    const { scores, alignment, ...present } = await this.#session.run(feeds, this.#outputs)
    assert.ok(scores)
    this.#past = Object.fromEntries(
      Object.entries(present).map(([name, value]) => [name.replace('present', 'past'), value]),
    )
    if (this.#withAlignment) {
      assert.ok(alignment)
      this.#alignments.push(alignment)
    }
    return floats(scores)
  }

  /** Attention of every token given so far: a row of positions a token and head, head by head. */
  alignment(): Alignment {
    const [first] = this.#alignments
    assert.ok(first)
    const [heads = 0, , positions = 0] = first.dims
    const rows = Array.from({ length: heads }, (_, head) =>
      this.#alignments.flatMap(({ data, dims: [, tokens = 0] }) => {
        assert.ok(data instanceof Float32Array)
        return Array.from({ length: tokens }, (_, token) => {
          const from = (head * tokens + token) * positions
          return data.subarray(from, from + positions)
        })
      }),
    )
    return { positions, rows }
  }
}

export interface Alignment {
  readonly positions: number
  /** [head][token] → [positions], each sums to 1. */
  readonly rows: readonly (readonly Float32Array[])[]
}
