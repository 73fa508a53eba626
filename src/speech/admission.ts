/** Decides, before any money moves, whether the node can serve one more request in time. */
export interface Admission {
  admit(work: Work): AdmissionOutcome
}

export type Work =
  /** Somebody listens, for as long as it may be. */
  | { readonly pace: 'live' }
  | {
      /** As in `SynthesisRequest`. */
      readonly pace: 'batch'
      /** About how much speech it will be. */
      readonly speechSeconds: number
    }
  | {
      /** Somebody who speaks, and wants to see the words at once. */
      readonly pace: 'listening'
    }
  | {
      /** A recording to be written down, in the gaps that listeners leave. */
      readonly pace: 'recording'
      readonly audioSeconds: number
    }
  /** A voice to be learnt from a recording, in the gaps that listeners leave. */
  | { readonly pace: 'fitting' }

export type AdmissionOutcome =
  /** The place is held until `release`, which may be called more than once. */
  | { readonly status: 'admitted'; readonly release: () => void }
  | { readonly status: 'refused'; readonly retryAfterSeconds: number }
