import { Presets, SingleBar } from 'cli-progress'

/** What a person sees while packs are fetched and installed. */
export interface Reporter {
  /** A pack's missing files are about to be fetched. */
  begin(pack: string, files: number, bytes: number): void
  /** Bytes of the pack that are there so far; steps back when a source failed half-way. */
  at(bytes: number): void
  end(complete: boolean): void
  /** One line about anything else. */
  note(line: string): void
}

export const silentReporter: Reporter = { begin: () => {}, at: () => {}, end: () => {}, note: () => {} }

/** One line when a pack starts, at every further tenth of it, and when it is done. */
export function lineReporter(write: (line: string) => void): Reporter {
  let pack = ''
  let total = 0
  let tenthsTold = 0
  return {
    begin(name, files, bytes) {
      pack = name
      total = bytes
      tenthsTold = 0
      write(`${pack}: fetching ${files === 1 ? '1 file' : `${files} files`}, ${megabytes(bytes)}`)
    },
    at(bytes) {
      const tenths = Math.floor((bytes * 10) / total)
      if (tenths <= tenthsTold || tenths === 10) return
      tenthsTold = tenths
      write(`${pack}: ${tenths * 10} %`)
    },
    end: (complete) => write(`${pack}: ${complete ? 'fetched' : 'could not be fetched'}`),
    note: write,
  }
}

/** A progress bar a pack on a terminal; elsewhere plain lines. */
export function reporterFor(stream: NodeJS.WritableStream & { readonly isTTY?: boolean }): Reporter {
  if (!stream.isTTY) return lineReporter((line) => stream.write(`${line}\n`))
  let bar: SingleBar | undefined
  return {
    begin(pack, _files, bytes) {
      bar = new SingleBar(
        {
          stream,
          format: `${pack} {bar} {percentage} % of ${megabytes(bytes)}, {duration_formatted}`,
          clearOnComplete: false,
          hideCursor: true,
          fps: 5,
        },
        Presets.shades_classic,
      )
      bar.start(bytes, 0)
    },
    at: (bytes) => bar?.update(bytes),
    end() {
      bar?.stop()
      bar = undefined
    },
    note: (line) => stream.write(`${line}\n`),
  }
}

/** Bytes for a reader, in millions as disks are sold. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
