/**
 * A player that starts at the first audio, stops where it runs dry and goes on with what comes next:
 *
 *   arrivals  ▼     ▼  ▼        ▼
 *   heard     ████████████░░░░░░████   ░ a gap
 */
export class Playback {
  #drainsAt: number | undefined
  #audioMs = 0
  #silenceMs = 0
  #gapMsMax = 0

  get audioMs(): number {
    return this.#audioMs
  }

  /** All gaps together. */
  get silenceMs(): number {
    return this.#silenceMs
  }

  get gapMsMax(): number {
    return this.#gapMsMax
  }

  /** `at`: milliseconds on any clock that doesn't go back. */
  receive(at: number, audioMs: number): void {
    const drainsAt = this.#drainsAt ?? at
    const gapMs = Math.max(0, at - drainsAt)
    this.#silenceMs += gapMs
    this.#gapMsMax = Math.max(this.#gapMsMax, gapMs)
    this.#audioMs += audioMs
    this.#drainsAt = drainsAt + gapMs + audioMs
  }
}
