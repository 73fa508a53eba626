import { fileURLToPath } from 'node:url'

/** The compiled entry of a kind of worker thread. Only where these sources are compiled as well. */
export function workerFile(name: string): string {
  return fileURLToPath(new URL(`../../workers/${name}.js`, import.meta.url))
}
