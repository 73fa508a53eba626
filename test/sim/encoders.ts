import type { CompressedEncoder, Mp3Encoder, Mp3Stream } from '../../src/audio/encoding.ts'
import type { Chance } from './chance.ts'
import type { Life } from './life.ts'

/** Files of a hundredth of their samples, in the time that encoding takes. */
export class SimulatedEncoders implements Mp3Encoder, CompressedEncoder {
  readonly #life: Life
  readonly #chance: Chance

  constructor(life: Life, chance: Chance) {
    this.#life = life
    this.#chance = chance
  }

  encodeMp3(samples: Int16Array): Promise<Uint8Array> {
    return this.#encode(samples.length)
  }

  encode(samples: Int16Array): Promise<Uint8Array> {
    return this.#encode(samples.length)
  }

  openMp3(): Mp3Stream {
    return {
      push: (samples) => this.#encode(samples.length),
      finish: () => this.#encode(100),
      discard() {},
    }
  }

  async #encode(samples: number): Promise<Uint8Array> {
    await this.#life.sleep(this.#chance.between(1, 30))
    return new Uint8Array(samples / 100)
  }
}
