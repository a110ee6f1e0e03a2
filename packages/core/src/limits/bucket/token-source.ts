import type { Amount } from '../../queue/queue.ts';

/**
 * Where a {@link WaitingBucket} takes its tokens from: the memory of this process, or a store that a fleet shares.
 *
 * A source decides how many tokens there are and when more come. It knows nothing of deadlines, priorities or promises.
 * All methods are synchronous, and are called again and again while requests wait. Times are milliseconds since the bucket
 * was made (0 is `time.startMs` of its clock), and never go back; those of a source that its bucket was given start at any time, the
 * same for all buckets of a clock. Costs are above 0.
 *
 * Methods must not throw. If `take` does, the error rejects the request that it was called for, and the queue goes on.
 *
 * @typeParam Held the record of taken tokens for {@link settle}; `undefined` for none
 * @typeParam A a number if all costs are; with several units the tokens of each
 */
export interface TokenSource<Held = unknown, A extends Amount = number> {
  /** The most tokens that can be taken at once. The subclass calls `capacityChanged` when it has changed. */
  readonly capacity: A;
  readonly refillPerSecond: A;

  /** Takes all of the tokens, and returns true; or takes none. `cost` is at most the capacity. */
  take(cost: A, nowMs: number): boolean;
  /** The record that {@link settle} needs for the tokens taken last. Read right after {@link take}. */
  readonly held: Held;
  /** The unit that the last {@link take} lacked. */
  readonly lacking?: string | undefined;
  /** True if the tokens that were taken last may exceed the quota. Their grant does not conform, and is not settled. */
  readonly isBeyond?: boolean;

  /**
   * How long until the tokens can be taken if no one else takes any, in milliseconds, pauses included. 0 for now, and if
   * it is not known. A cost above the capacity stands for several requests: the time until so many tokens have come in.
   */
  waitMs(cost: A, nowMs: number): number;
  /**
   * When the first request in the queue is to be served; `Infinity` if the source will call `onChange`. Called after each
   * change of the queue. A source that gets its tokens from elsewhere sends for them now.
   *
   * @param firstCost the cost of the first request in the queue; 0 if the queue is empty
   */
  dueMs(firstCost: A | 0, nowMs: number): number;

  /**
   * Corrects the tokens of a grant, at most once: gives back `surplus` tokens, as far as they fit; takes more if `surplus` is
   * negative, even if that leaves a debt. May come at any time, also in a pause and after {@link close}.
   */
  settle(surplus: A, held: Held, nowMs: number): void;

  /** Caps the tokens at `left`, tokens held back included. `Infinity` leaves a unit as it is. */
  atMost?(left: A | number, nowMs: number): void;
  /**
   * The tokens that a server has left for more requests, by its answer, less the tokens granted since.
   *
   * @param held the `held` of the grant whose answer reports the tokens
   */
  heard?(left: A | number, held: Held): A | number;

  /** Lets no token be taken until `untilMs`, which is in the future, and starts from empty then. Never shortens a pause. */
  pause(untilMs: number, nowMs: number): void;
  /** Ends the pause now. Called in a pause only. */
  resume(nowMs: number): void;
  /** The rest of the pause, in milliseconds; 0 without a pause. */
  pausedMs(nowMs: number): number;

  /** Tokens that are available now; negative for a debt. */
  tokens(nowMs: number): A;
  /** True if discarding the source now, and making it anew later, changes nothing. */
  isIdle(nowMs: number): boolean;

  /** Why no tokens can be had at all; `undefined` if they can. Requests that get none are refused then. */
  readonly unavailable?: SourceFault | undefined;
  /** True if it is certain that the tokens of the first request come after its deadline. It is refused then. */
  isTooLate?(cost: A, deadlineMs: number, nowMs: number): boolean;
  /** Called when {@link TokenBucket.tryAcquire} found no tokens: the next call may find some. */
  missed?(cost: A, nowMs: number): void;
  /** Called when a request is refused whose tokens would come in `waitMs`: the source may check whether they do. */
  refusedFor?(waitMs: number, nowMs: number): void;
  /** Gives back the tokens that the source holds. Called once, when no request waits or all are refused. Never rejects. */
  close?(): Promise<void>;
}

/** Why a source has no tokens. */
export interface SourceFault {
  /** Becomes part of the message of the `NotSentError`. */
  readonly message: string;
  readonly cause?: unknown;
}

/** The requests that wait at a bucket, as its source sees them. Aborts and deadlines may change them at any time. */
export interface WaitingQueue<A extends Amount = number> {
  /** How many there are. */
  readonly size: number;
  /** The requests, beginning with the first. */
  readonly queue: Iterable<{ readonly cost: A }> & {
    /** The sum of their costs. */
    readonly cost: A | 0;
    /** With its deadline in the time of the bucket; `Infinity` if it has none. */
    readonly first: { readonly cost: A; readonly deadlineMs: number } | undefined;
    /** The sum of the weights of all waiting keys, if requests have keys. */
    readonly shares?: number | undefined;
  };
}
