import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** What the page shows of the node it comes from, beside what its keys may ask. */
export interface PlaygroundFacts {
  readonly voices: readonly {
    readonly id: string
    readonly name: string
    /** Code of the language it was made for. */
    readonly language: string
    readonly gender: string
  }[]
  /** Languages that are spoken. */
  readonly languages: readonly { readonly code: string; readonly name: string }[]
  /** Languages, and pairs of them, that are written down; none where the node only speaks. */
  readonly modes: readonly { readonly code: string; readonly name: string }[]
  /** Where sockets are, if not where the page is. */
  readonly wsUrl: string | undefined
}

/** The page as it is served. */
export interface PlaygroundPage {
  readonly html: string
  readonly etag: string
  readonly contentSecurityPolicy: string
}

const BUILT_PAGE = new URL('./playground.html', import.meta.url)
const FACTS = /(<script type="application\/json" id="facts">)[^<]*(<\/script>)/

/** The built page with the node's facts in it. Rejects where the project has not been built. */
export async function loadPlayground(facts: PlaygroundFacts, file: URL = BUILT_PAGE): Promise<PlaygroundPage> {
  const built = await readFile(file, 'utf8')
  // `<` could otherwise end the element.
  const json = JSON.stringify(facts).replaceAll('<', '\\u003c')
  const html = built.replace(FACTS, (_, open: string, close: string) => `${open}${json}${close}`)
  return { html, etag: `"${digest(html).slice(0, 22)}"`, contentSecurityPolicy: policy(html, facts.wsUrl) }
}

/**
 * The page's own style and script, by their hashes, and nothing else. `blob:` is for the worklets, whose source the script holds.
 */
function policy(html: string, wsUrl: string | undefined): string {
  const style = digest(/<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '')
  const script = digest(/<script type="module">([\s\S]*?)<\/script>/.exec(html)?.[1] ?? '')
  return [
    "default-src 'none'",
    `script-src 'sha256-${script}' blob:`,
    `style-src 'sha256-${style}'`,
    `connect-src 'self'${wsUrl === undefined ? '' : ` ${new URL(wsUrl).origin}`}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
