import type { PronunciationDictionary } from '../speech/dictionary/pronunciation-dictionary.ts'
import type { ReadingService } from '../speech/reading/reading-protocol.ts'
import type { Pronunciation, SpeechTask, SpokenPart, TaskResult } from '../speech/task-protocol.ts'
import type { TaskOrder, TaskRunner } from '../speech/task-runner.ts'

/**
 * A runner that says how texts are to be spoken before another runs them: terms of the pronunciation dictionary are
 * replaced, and Japanese and Chinese are read. Inference workers need no dictionaries for it.
 */
export class ReadingRunner implements TaskRunner {
  readonly #inner: TaskRunner
  readonly #dictionary: PronunciationDictionary
  readonly #readings: ReadingService

  constructor(inner: TaskRunner, dictionary: PronunciationDictionary, readings: ReadingService) {
    this.#inner = inner
    this.#dictionary = dictionary
    this.#readings = readings
  }

  listen(runsDryAt?: () => number): () => void {
    return this.#inner.listen(runsDryAt)
  }

  run<T extends SpeechTask>(task: T, order: TaskOrder): Promise<TaskResult<T>> {
    if (task.kind !== 'plan' && task.kind !== 'measure') return this.#inner.run(task, order)
    return this.#runSpoken(task, task.text, task.pronunciation, order)
  }

  async #runSpoken<T extends SpeechTask>(
    task: T,
    text: string,
    pronunciation: Pronunciation,
    order: TaskOrder,
  ): Promise<TaskResult<T>> {
    const parts = await this.#parts(text, pronunciation)
    return this.#inner.run<T>(parts === undefined ? task : { ...task, parts }, order)
  }

  /** Undefined where the text is spoken as it stands. */
  async #parts(text: string, pronunciation: Pronunciation): Promise<readonly SpokenPart[] | undefined> {
    const pieces = this.#dictionary.pronounce(text, pronunciation)
    if (pronunciation === 'ja' || pronunciation === 'zh') {
      const read = await Promise.all(
        pieces.map((piece) => (piece.kind === 'text' ? this.#readings.read(piece.text, pronunciation) : [piece])),
      )
      return read.flat()
    }
    const [first] = pieces
    if (pieces.length === 1 && first?.kind === 'text' && first.text === text) return undefined
    return pieces.map((piece) => (piece.kind === 'text' ? { ...piece, pronunciation } : piece))
  }
}
