import { once } from 'node:events'
import Table from 'cli-table3'

/** Where a command's words go. Nothing else in the command line writes to the terminal. */
export interface Output {
  /** To standard output; resolves when it can take more. */
  out(text: string): Promise<void>
  /** To standard error. */
  err(text: string): void
}

/** The process's own streams. A reader that goes away (`| head`) ends the program without complaint. */
export const processOutput: Output = {
  async out(text) {
    endQuietlyWithoutReader()
    if (!process.stdout.write(text)) await once(process.stdout, 'drain')
  },
  err(text) {
    process.stderr.write(text)
  },
}

let watching = false

function endQuietlyWithoutReader(): void {
  if (watching) return
  watching = true
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}

/** One JSON document on a line of its own. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/**
 * A table for people: a heading, and columns wide enough. Names come from whoever may make something: what would steer the terminal shows
 * as a replacement character.
 */
export function tableText(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const table = new Table({ head: [...columns], style: { head: [], border: [] }, chars: BORDERLESS })
  for (const row of rows) table.push(row.map((cell) => String(cell).replaceAll(/\p{Cc}/gu, '\ufffd')))
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`
}

const BORDERLESS = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: ' ' },
}
