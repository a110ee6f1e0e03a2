/** Returns random numbers that are uniform in [0, 1), as `Math.random` does. */
export type Random = () => number;

/** Where ebb reads the time and waits. Replace it in tests: see `virtualClock` of `@ebb/core/testing`. */
export interface Clock {
  /** Milliseconds since the Unix epoch, on a clock that never steps back. */
  now(): number;
  /**
   * Calls `wake` once, no earlier than `delayMs` milliseconds from now. Returns a function that cancels the call.
   * A pending call keeps the process alive unless it is `inBackground`.
   *
   * `isWait`: it ends a wait of ebb. Unlike a timeout it guards nothing real, such as a response on its way, so a virtual clock
   * may move to it at once. The clock of the system ignores it.
   */
  schedule(wake: () => void, delayMs: number, inBackground?: boolean, isWait?: boolean): () => void;
}
