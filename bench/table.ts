/** One table of the report. The first column names the row. */
export interface BenchTable {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
  /** What the table means, one sentence each: the comparison, the aim, what was tried. */
  readonly notes: readonly string[]
}
