import { Parser } from '@asyncapi/parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'

/** Rules that ask for what a document of one's own server does not need. */
const NOT_ASKED = {
  // Health, metrics and signed addresses ask for no key.
  'security-defined': 'off',
  // An operation that meets no client error is none that has a key or a field.
  'operation-4xx-response': 'error',
  // The documents are read from the node itself, which may well be on this machine.
  'no-server-example.com': 'off',
} as const

/** What the rules of OpenAPI, and Redocly's own, find wrong. */
export async function openApiFaults(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules: NOT_ASKED, telemetry: 'off' })
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''}: ${message}`)
}

/** What AsyncAPI's own parser finds wrong; hints are left out. */
export async function asyncApiFaults(document: object): Promise<string[]> {
  const diagnostics = await new Parser().validate(JSON.stringify(document))
  return diagnostics
    .filter(({ severity }) => severity <= 1)
    .map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`)
}
