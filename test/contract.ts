import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Folder with the contract and the catalogs, which are kept beside the repository and not in it. */
const SPEC = fileURLToPath(new URL('../../shared/spec/', import.meta.url))

/** A file of the specification as text. Throws when it isn't there: a check against nothing is no check. */
export function specFile(name: string): string {
  return readFileSync(`${SPEC}${name}`, 'utf8')
}

/** The text under a heading of the contract, up to the next heading of the same level. */
export function contractSection(heading: string): string {
  const text = specFile('speech-service-api.md')
  const [, marks = '', rest = ''] = new RegExp(`^(#+) ${heading}$([\\s\\S]*)`, 'm').exec(text) ?? []
  if (!marks) throw new Error(`the contract has no heading ${heading}`)
  return rest.split(new RegExp(`^#{1,${marks.length}} `, 'm'))[0] ?? ''
}
