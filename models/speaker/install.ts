import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readCheckpoint } from '../torch/checkpoint.ts'
import { encoderGraph } from './encoder-graph.ts'
import { ENCODER_GRAPH } from './manifest.ts'

/** Where the checkpoint keeps the weights, beside the optimiser's state. */
const WEIGHTS = 'model_state'

/** Writes the graph of the speaker encoder below `outputDir`. Throws where `checkpoint` does not hold its weights. */
export async function installSpeakerEncoder(checkpoint: string, outputDir: string): Promise<void> {
  const graph = encoderGraph(readCheckpoint(await readFile(checkpoint), WEIGHTS))
  await writeFile(join(outputDir, ENCODER_GRAPH), graph.serialize())
}
