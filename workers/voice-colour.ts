import type { VoicePrint } from '../src/speech/task-protocol.ts'
import { COLOUR_COSINES, colourBetween, coloured } from '../src/speech/voice-colour.ts'

/** How far each cosine is turned to hear what it does, and how far the colour then goes along what helps, in dB. */
const PROBE_DB = 2
const STEPS_DB = [0.75, 1.5, 3, 5]
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

interface Candidate extends HeardColour {
  readonly colour: Float64Array
  readonly score: number
}

/**
 * The colour in which speech with the print `heard` resembles the voice `target` most, by steepest ascent from the difference of their
 * spectra. That alone holds the noise and the microphone of a recording as well, and brings many voices away from the person.
 */
export async function fitColour(
  hear: ColouredHearing,
  heard: VoicePrint,
  target: VoicePrint,
  climbs: number,
): Promise<HeardColour> {
  const measured = colourBetween(heard.spectrum, target.spectrum)
  const tried = async (colours: readonly Float64Array[]): Promise<Candidate[]> => {
    const gains = colours.map((colour) => coloured(colour, heard.bands.length))
    const embeddings = await hear(gains)
    return colours.map((colour, index) => {
      const embedding = embeddings[index]!
      return { colour, gains: gains[index]!, embedding, score: scoreOf(colour, embedding, measured, target) }
    })
  }
  let best = bestOf(await tried([measured, measured.map((size) => size / 2), new Float64Array(COLOUR_COSINES)]))
  for (let climb = 0; climb < climbs; climb++) {
    const { colour, score } = best
    const probes = await tried(Array.from(colour, (size, index) => colour.with(index, size + PROBE_DB)))
    const gradient = probes.map((probe) => probe.score - score)
    const steepness = Math.hypot(...gradient) || 1
    const steps = STEPS_DB.map((step) => colour.map((size, index) => size + (step * gradient[index]!) / steepness))
    best = bestOf([best, ...probes, ...(await tried(steps))])
  }
  const { gains, embedding } = best
  return { gains, embedding }
}

function bestOf(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((a, b) => (b.score > a.score ? b : a))
}

function scoreOf(colour: Float64Array, embedding: Float32Array, measured: Float64Array, target: VoicePrint): number {
  const likeness = embedding.reduce((sum, value, at) => sum + value * target.embedding[at]!, 0)
  const stray = colour.reduce((sum, size, index) => sum + (size - measured[index]!) ** 2 / COLOUR_COSINES, 0)
  return likeness - STRAY_COST * stray
}
