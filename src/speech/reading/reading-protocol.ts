import type { SpokenPart } from '../task-protocol.ts'

/** Languages whose characters don't tell their sound: a dictionary does. */
export type ReadLanguage = 'ja' | 'zh'

/** What the reading thread is asked; it answers with parts (see `SpokenPart`). */
export interface ReadingTask {
  readonly text: string
  readonly language: ReadLanguage
}

/** Looks up how a text is read. Rejects when the dictionary can't be loaded. */
export interface ReadingService {
  read(text: string, language: ReadLanguage): Promise<readonly SpokenPart[]>
}
