import type { Grammar } from './grammar.ts'

/** The first thing that is wrong with messages and the close behind them. */
export function faultOf(
  grammar: Grammar,
  messages: readonly (string | Uint8Array)[],
  closeCode?: number,
): string | undefined {
  for (const message of messages) {
    const wrong = grammar.take(message)
    if (wrong) return wrong
  }
  return grammar.end(closeCode)
}
