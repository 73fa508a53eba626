import { workerData } from 'piscina'
import type { DetectAnswer, DetectTask } from '../src/speech/detection-protocol.ts'
import { SileroEngine } from './silero.ts'

/** What the thread of this file is started with, as Piscina's `workerData`. */
export interface DetectionWorkerData {
  /** Path of the model. */
  readonly sileroModel: string
}

const { sileroModel }: DetectionWorkerData = workerData
const engine = await SileroEngine.load(sileroModel)

/** Runs one task. */
export default function detect(task: DetectTask): Promise<DetectAnswer> {
  return engine.detect(task)
}
