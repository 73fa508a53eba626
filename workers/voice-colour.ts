import type { VoicePrint } from '../src/speech/task-protocol.ts'
import { COLOUR_COSINES, colourBetween, coloured } from '../src/speech/voice-colour.ts'
import { seededNormals } from './seeded-normals.ts'

const GENERATIONS = 8
const CHILDREN = 12
const PARENTS = 4
/** Steps at first, in dB, and what is left of them in each generation. */
const STEP_DB = 1.5
const STEP_DECAY = 0.85
/** What each dB² costs by which a colour differs from that of the spectra: keeps it from flattering the encoder. */
const STRAY_COST = 0.001

/** A colour that speech is given, and what voice is heard then. */
export interface HeardColour {
  /** Gains in dB, in the bands of the print. */
  readonly gains: Float32Array
  readonly embedding: Float32Array
}

/** What voices the encoder hears when it is given speech with each of these gains. */
export type ColouredHearing = (gains: readonly Float32Array[]) => Promise<readonly Float32Array[]>

interface Child extends HeardColour {
  readonly colour: Float64Array
  readonly score: number
}

/**
 * The colour in which speech with the print `heard` resembles the voice `target` most: an evolution strategy around the difference of
 * their spectra. That alone holds the noise and the microphone of a recording as well, and brings some voices away from it.
 */
export async function fitColour(hear: ColouredHearing, heard: VoicePrint, target: VoicePrint): Promise<HeardColour> {
  const measured = colourBetween(heard.spectrum, target.spectrum)
  const normal = seededNormals(1)
  const born = async (colours: readonly Float64Array[]): Promise<Child[]> => {
    const gains = colours.map((colour) => coloured(colour, heard.bands.length))
    const embeddings = await hear(gains)
    const children = colours.map((colour, index) => {
      const embedding = embeddings[index]!
      return { colour, gains: gains[index]!, embedding, score: scoreOf(colour, embedding, measured, target) }
    })
    return children.sort((a, b) => b.score - a.score)
  }
  const better = (a: Child, b: Child) => (b.score > a.score ? b : a)

  let [best] = await born([measured, measured.map((size) => size / 2), new Float64Array(COLOUR_COSINES)])
  let mean = best!.colour
  let step = STEP_DB
  for (let generation = 0; generation < GENERATIONS; generation++) {
    const colours = Array.from({ length: CHILDREN }, () =>
      mean.map((size, index) => size + (step * normal()) / Math.sqrt(1 + index / 2)),
    )
    const parents = (await born(colours)).slice(0, PARENTS)
    mean = mean.map((_, index) => parents.reduce((sum, { colour }) => sum + colour[index]! / PARENTS, 0))
    step *= STEP_DECAY
    best = better(best!, parents[0]!)
  }
  const [last] = await born([mean])
  const { gains, embedding } = better(best!, last!)
  return { gains, embedding }
}

function scoreOf(colour: Float64Array, embedding: Float32Array, measured: Float64Array, target: VoicePrint): number {
  const likeness = embedding.reduce((sum, value, at) => sum + value * target.embedding[at]!, 0)
  const stray = colour.reduce((sum, size, index) => sum + (size - measured[index]!) ** 2 / COLOUR_COSINES, 0)
  return likeness - STRAY_COST * stray
}
