import { pino } from 'pino'

/** Structured log lines. Fields never hold keys, tokens, text, transcripts or audio. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** JSON lines on standard error, so that standard output stays free for what a person asked to see. */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  )
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
