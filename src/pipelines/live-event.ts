/** What is heard, in order. Times are seconds from the start of the session; texts have no white space at their ends. */
export type LiveEvent =
  /** What is said so far in a segment that is not over. It may change, words that are settled excepted. */
  | {
      readonly kind: 'partial'
      readonly start: number
      readonly end: number
      readonly text: string
      readonly language: string
    }
  /** A segment that is over. */
  | {
      readonly kind: 'segment'
      readonly start: number
      readonly end: number
      /** Empty: it was no speech after all. */
      readonly text: string
      readonly language: string
      /** When the audio came that showed that it is over. */
      readonly at: number
      /** Some of it was told as `partial`. */
      readonly wasShown: boolean
    }
  /** Every segment before a `commit`, which came when the session was `end` long, has been told. */
  | { readonly kind: 'committed'; readonly at: number; readonly end: number }
