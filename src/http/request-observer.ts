/** Hears of every request once it is over, to count it. */
export interface RequestObserver {
  /**
   * `route`: the pattern of its path; `none` where no route answered. `method`: one of a short list, or `other`. `status` 0:
   * the client left before an answer; 101: a socket, which has closed; 503 where it was refused for want of room.
   */
  answered(route: string, method: string, status: number): void
}
