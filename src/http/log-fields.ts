/** An error as fields of a log line. */
export function errorFields(error: unknown): { readonly error: string } {
  return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}
