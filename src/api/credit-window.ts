import { STREAM_BUFFER_BYTES_MAX } from '../limits.ts'
import { Demand } from '../runtime/demand.ts'

/** Where the frames of a stream go. */
export interface Outlet {
  /** Bytes taken that have not left yet. */
  readonly bufferedBytes: number
  /** Bytes a frame takes at most, as it is sent. */
  readonly frameBytes: number
}

/**
 * Grants credit for as many frames as still fit a slow reader's buffer:
 *
 *   |── bufferedBytes ──|── credit not used yet ──|── free: becomes credit ──|
 *   0                                                   STREAM_BUFFER_BYTES_MAX
 *
 * A producer that overdraws, because one step of it makes several frames, fills the buffer past its end by that step.
 */
export class CreditWindow {
  readonly demand = new Demand()
  readonly #outlet: Outlet
  #settling = false

  constructor(outlet: Outlet) {
    this.#outlet = outlet
  }

  /** Grants what fits. To be called when room may have come: after each frame and on each drain. Idempotent. */
  settle(): void {
    // A producer may answer a grant with frames at once, which come back here: the loop below sees to them.
    if (this.#settling) return
    this.#settling = true
    for (let room = this.#room(); room > 0; room = this.#room()) this.demand.grant(room)
    this.#settling = false
  }

  #room(): number {
    const { bufferedBytes, frameBytes } = this.#outlet
    return Math.floor((STREAM_BUFFER_BYTES_MAX - bufferedBytes) / frameBytes) - this.demand.credits
  }
}
