/** A worker that does as its task says: answers, fails, dies or reports its own thread. */
import { threadId } from 'node:worker_threads'

export default function run({ text }) {
  if (text === 'die') process.exit(1)
  if (text === 'fail') return { status: 'failed', message: 'no such voice' }
  return { status: 'done', result: { threadId } }
}
