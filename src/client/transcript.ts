/** Times in seconds. */
export interface TranscriptWord {
  readonly word: string
  readonly start: number
  readonly end: number
}

export interface TranscriptSegment {
  readonly index: number
  readonly start: number
  readonly end: number
  readonly text: string
  readonly language: string
  readonly words?: readonly TranscriptWord[]
}

export interface Transcript {
  readonly text: string
  readonly language: string
  readonly is_final: true
  readonly provider: string
  readonly model: string
  readonly duration_seconds: number
  readonly latency_ms: number
  readonly segments: readonly TranscriptSegment[]
}
