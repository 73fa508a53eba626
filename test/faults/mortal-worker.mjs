/**
 * The inference worker as it is built, whose thread ends at once, as after a crash, in the middle of the tasks it is told to:
 * `workerData.fuse` holds the number of windows until the next death; 0 or less is never.
 */
import { workerData } from 'piscina'
import inference from '../../dist/workers/inference.js'

const fuse = new Int32Array(workerData.fuse)

export default function run(task) {
  if (task.kind === 'window' && Atomics.sub(fuse, 0, 1) === 1) process.exit(1)
  return inference(task)
}
