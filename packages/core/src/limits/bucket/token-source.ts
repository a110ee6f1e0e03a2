/**
 * Where a {@link WaitingBucket} takes its tokens from: the memory of this process, or a store that a fleet shares.
 *
 * A source decides how many tokens there are and when more come. It knows nothing of queues, deadlines or promises. All
 * times are milliseconds of the bucket's own time, which never goes back. `Held` is what the source needs to know later
 * of tokens that were taken, to even out what they cost.
 */
export interface TokenSource<Held = unknown> {
  /** The most tokens that can be taken at once. */
  readonly capacity: number;
  readonly refillPerSecond: number;

  /** Takes the tokens, if they are available. */
  take(cost: number, nowMs: number): boolean;
  /** What {@link settle} needs for the tokens that were taken last. */
  readonly held: Held;
  /** True if the tokens that were taken last may exceed the quota. Their grant does not conform. */
  readonly isBeyond?: boolean;

  /** How long until the tokens can be taken, in milliseconds; 0 for now, and as long as it is not known. */
  waitMs(cost: number, nowMs: number): number;
  /**
   * When the first request in the queue is to be served; `Infinity` if the source will say so itself. A source that
   * gets its tokens from elsewhere sends for them now.
   *
   * @param firstCost what the first request in the queue costs; 0 if the queue is empty
   */
  dueMs(firstCost: number, nowMs: number): number;

  /** Gives back `surplus` tokens that a grant did not need, or takes what it needs more if `surplus` is negative. */
  settle(surplus: number, held: Held, nowMs: number): void;

  /** Lets no token be taken until `untilMs`, and starts from empty then. Never shortens a pause. */
  pause(untilMs: number, nowMs: number): void;
  /** Ends a pause now. */
  resume(nowMs: number): void;
  /** How long the pause lasts from now on; 0 without a pause. */
  pausedMs(nowMs: number): number;

  /** Tokens that are available now; negative for a debt. */
  tokens(nowMs: number): number;
  /** True if discarding the source now, and making it anew later, changes nothing. */
  isIdle(nowMs: number): boolean;

  /** Why no tokens can be had at all for now; `undefined` if they can. Every request is refused then. */
  readonly unavailable?: Unavailable | undefined;
  /** True if it is certain that the tokens come after `deadlineMs`. */
  isTooLate?(cost: number, deadlineMs: number, nowMs: number): boolean;
  /** A request that does not wait found no tokens; the next one may. */
  missed?(cost: number, nowMs: number): void;
  /** A request was refused because its tokens come in `waitMs`: the source may check whether that is still true. */
  refusedFor?(waitMs: number, nowMs: number): void;
  /** Closes the source, and gives back what it holds. Never rejects. */
  close?(): Promise<void>;
}

/** Why a source has no tokens for anyone. */
export interface Unavailable {
  readonly message: string;
  readonly cause?: unknown;
}
