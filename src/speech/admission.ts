/** Decides, before any money moves, whether the node can serve one more request in time. */
export interface Admission {
  admit(work: Work): AdmissionOutcome
}

export type Work =
  | {
      /** As in `SynthesisRequest`. */
      readonly pace: 'live' | 'batch'
      /** Length of the text, UTF-16 units. */
      readonly characters: number
    }
  | {
      /** A recording to be written down, in the gaps that listeners leave. */
      readonly pace: 'recording'
      readonly audioSeconds: number
    }

export type AdmissionOutcome =
  /** The place is held until `release`, which may be called more than once. */
  | { readonly status: 'admitted'; readonly release: () => void }
  | { readonly status: 'refused'; readonly retryAfterSeconds: number }
