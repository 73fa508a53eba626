import type { Pack } from './catalog.ts'
import { bytesOf, type MissingFile } from './pack-fetcher.ts'

/** Files named one by one in the message; `models verify` names them all. */
const NAMED_MAX = 3

/** Thrown when no source could give some files. The message is for the person at the terminal: what, why, and what helps. */
export class MissingFilesError extends Error {
  readonly missing: readonly MissingFile[]

  constructor(missing: readonly MissingFile[], modelsDir: string) {
    super(messageFor(missing, modelsDir))
    this.missing = missing
  }
}

function messageFor(missing: readonly MissingFile[], modelsDir: string): string {
  const packs = [...new Set(missing.map(({ pack }) => pack))]
  const homes = [...new Set(packs.map((pack) => new URL(pack.home).host))]
  return [
    'These model files are missing, and no source could give them:',
    ...packs.flatMap((pack) => describe(missing.filter((file) => file.pack === pack))),
    '',
    'Any one of these helps; what is already there is kept:',
    `  1. Let this machine reach ${homes.join(' and ')}, or set up pip and npm with an index they can reach, and try again.`,
    '  2. Copy the models folder from a machine that has it and point SYRINX_MODELS at the copy',
    `     (the folder in use is ${modelsDir}).`,
    '  3. Download the files by hand, then check them with `syrinx models verify`:',
    ...packs.map((pack) => `     ${byHand(pack, modelsDir)}`),
  ].join('\n')
}

function describe(missing: readonly MissingFile[]): readonly string[] {
  const [first] = missing
  if (first === undefined) return []
  const files = missing.map(({ file }) => file)
  const named = files.slice(0, NAMED_MAX).map((file) => file.path)
  const more = files.length > NAMED_MAX ? ` and ${files.length - NAMED_MAX} more` : ''
  const bytes = bytesOf(files).toLocaleString('en-US')
  return [
    `  ${first.pack.name}: ${named.join(', ')}${more} (${bytes} bytes)`,
    ...[...new Set(missing.flatMap(({ reasons }) => reasons))].map((reason) => `    ${reason}`),
  ]
}

/** A pack of one file is named by its address; the files of others are found where a person can browse them. */
function byHand(pack: Pack, modelsDir: string): string {
  const [first, ...others] = pack.files
  const path = first?.path ?? ''
  const address = first?.sources.find((source) => source.kind === 'web')?.url
  const from = others.length === 0 && address !== undefined ? address : pack.home
  return `${pack.name}: ${from} → ${modelsDir}/${pack.name}/${path.slice(0, path.lastIndexOf('/') + 1)}`
}
