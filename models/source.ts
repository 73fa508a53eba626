import type { Clock } from '../src/runtime/clock.ts'
import type { CommandRunner } from './command.ts'

/**
 * What the sources of one run share. Each source object lives as long as the run and remembers what failed, so that
 * neither an unreachable host nor a missing program costs its waiting time once a file.
 */
export interface SourceContext {
  /** Folder for partial downloads, on the same disk as the models. Left in place when a run fails: the next one goes on there. */
  readonly scratchDir: string
  readonly clock: Clock
  readonly runCommand: CommandRunner
  readonly signal: AbortSignal
}

/** Told how many bytes of the file are there so far. */
export type OnBytes = (bytes: number) => void

/** A source that cannot give the file; the message is the brief reason. */
export class SourceError extends Error {}
