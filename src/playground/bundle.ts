import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { build } from 'esbuild'

/*
 * A step of the build, run in the project's root: puts the page's styles and its compiled modules, the client among them, into its one
 * HTML file. `load.ts` reads it when the node starts.
 */
const source = resolve('src/playground/page')
const compiled = resolve('dist/src/playground')

const [html, style, script] = await Promise.all([
  readFile(`${source}/index.html`, 'utf8'),
  bundled(`${source}/style.css`),
  bundled(`${compiled}/page/main.js`),
])
const page = html
  .replace('<link rel="stylesheet" href="style.css" />', () => `<style>${style}</style>`)
  .replace('<script type="module" src="main.ts"></script>', () => `<script type="module">${script}</script>`)
await writeFile(`${compiled}/playground.html`, page)

async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    write: false,
    logLevel: 'warning',
  })
  return outputFiles[0]?.text.trim() ?? ''
}
