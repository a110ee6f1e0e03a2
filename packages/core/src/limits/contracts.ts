import type { Outcome, RequestTraits } from '../http/outcome.ts';

/** What is asked of a bucket. */
export interface AcquireOptions {
  /**
   * Tokens, above 0 and at most the capacity.
   * @default 1
   */
  readonly cost?: number | undefined;
  /** Gives up the wait, with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /** The longest wait, in milliseconds; a longer one is refused at once. */
  readonly maxWaitMs?: number | undefined;
  /**
   * A whole number from -7 to 7; the higher goes first.
   * @default 0
   */
  readonly priority?: number | undefined;
  /**
   * Whether this is a retry: it goes before new requests of its priority.
   * @default false
   */
  readonly retry?: boolean | undefined;
  /**
   * What this asker was granted before, by this bucket or by its {@link TokenBucket.gateFor}, and gave back because
   * something else was lacking. With that, a bucket that drains does not refuse it as new.
   */
  readonly earlier?: Grant | undefined;
}

/** Tokens that were had. */
export interface Grant {
  readonly cost: number;
  /** How long they took to come, in milliseconds. */
  readonly waitedMs: number;
  /** When they were had, in milliseconds since the epoch on the bucket's clock. */
  readonly grantedAtMs: number;
  /** `false` where the tokens were not there and the bucket lets such requests pass with a mark. */
  readonly conforming: boolean;
  /**
   * Tells what it cost in the end, where that is known only afterwards, and evens the difference out: what was
   * too much goes back, as far as the bucket has not been refilled of it meanwhile; what was too little is
   * taken, and may leave the bucket in debt. Counts once.
   *
   * @throws TypeError, RangeError when the cost is no finite number from 0
   */
  settle(actualCost: number): void;
}

/** How a bucket stands. */
export interface BucketStats {
  /** Tokens that are there now; below 0 is a debt. */
  readonly tokens: number;
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** How many wait, those for an origin that is closed included. */
  readonly waiting: number;
  /** The tokens that they wait for. */
  readonly waitingCost: number;
  /**
   * How much longer the bucket is closed, in milliseconds, or the one origin of several that is closed for the
   * longest; 0 when all is open.
   */
  readonly pausedMs: number;
  /** How many were granted tokens so far, those with a mark included. */
  readonly granted: number;
  /** How many of those had a mark: sent although the tokens were not there. */
  readonly marked: number;
  /** How many were turned away by {@link TokenBucket.acquire}, aborted ones not included. */
  readonly refused: number;
  /** Whether nothing is lost with it: full, open, the rate that it was made with, and nobody waits. */
  readonly idle: boolean;
}

/** Tokens that refill at a rate: a request takes some before it is sent. This is all that a policy asks of it. */
export interface TokenBucket {
  /**
   * Takes the tokens if they are available now and no other request waits for them; returns `undefined` if not.
   *
   * @param cost tokens, above 0 and at most the capacity; 1 by default
   * @param earlier as {@link AcquireOptions.earlier}
   * @throws TypeError, RangeError when the bucket can never hold the cost
   */
  tryAcquire(cost?: number, earlier?: Grant): Grant | undefined;
  /**
   * Takes the tokens when it is this asker's turn: first come, first served within a priority.
   *
   * Rejects with a `ThrottledError` when the tokens cannot be had within the limits of the ask or the bucket,
   * with the signal's own reason when it aborts, with a TypeError or a RangeError for an ask that is wrong.
   */
  acquire(ask?: AcquireOptions): Promise<Grant>;
  /**
   * Called with what became of each request that it granted tokens to, so that it can do what the server says.
   *
   * @param request the request, for the origin that the response speaks for
   */
  observe?(outcome: Outcome, grant: Grant, request?: RequestTraits): void;
  /**
   * The further bucket that a request takes as many tokens from, because its origin asked to be left alone for a
   * while; `undefined` in the usual case.
   */
  gateFor?(request: RequestTraits): TokenBucket | undefined;
}

/** What {@link ObservableBucket.close} takes. */
export interface CloseOptions {
  /**
   * What becomes of those who wait. `'reject'`: they are rejected at once. `'drain'`: they get their tokens in
   * turn.
   * @default 'reject'
   */
  readonly waiting?: 'reject' | 'drain' | undefined;
}

/** A bucket that can be paused and closed, and asked how it stands. */
export interface ObservableBucket extends TokenBucket {
  /**
   * Pauses the bucket and empties it; it fills again from the end of the pause. Never shortens a pause. Those who
   * wait with a deadline in the pause are rejected at once, a few hundred in each turn of the event loop.
   *
   * @throws TypeError, RangeError when the duration is not finite and from 0
   */
  pauseFor(durationMs: number): void;
  /**
   * Ends every pause at once, that of the bucket and those of single origins. What was paused is empty, as at the
   * end of its pause, and fills from now on. Does nothing if there is no pause.
   */
  resume(): void;
  /** Resolves when no one waits: at once if no one does. It keeps no process alive that would end without it. */
  idle(): Promise<void>;
  /**
   * Grants nothing to new askers from now on: `acquire` rejects with a `ThrottledError` whose reason is `'closed'`,
   * `tryAcquire` returns `undefined`, also with `nonConforming: 'mark'`. Resolves when no one
   * waits any more. Grants may still be settled. To close again does nothing, but `'reject'` after `'drain'`
   * rejects those who still wait.
   *
   * Rejects with a TypeError or a RangeError for a wrong option.
   */
  close(options?: CloseOptions): Promise<void>;
  stats(): BucketStats;
}

/** A place among the requests that are under way. */
export interface Slot {
  /** How long it took to come, in milliseconds. */
  readonly waitedMs: number;
  /** Gives it to the next. Counts once. */
  release(): void;
}

/** How a {@link ConcurrencyLimit} stands. */
export interface ConcurrencyStats {
  readonly inUse: number;
  readonly maxConcurrent: number;
  readonly waiting: number;
  /** How many were turned away by {@link ConcurrencyLimit.acquire}, aborted ones not included. */
  readonly refused: number;
}

/** Lets a number of requests be under way at once, from the sending to the end of the response's body. */
export interface ConcurrencyLimit {
  /** Takes a slot now, if one is free and nobody waits for it. */
  tryAcquire(): Slot | undefined;
  /**
   * Takes a slot when it is this asker's turn: first come, first served within a priority.
   *
   * Rejects with a `ThrottledError` when none can be had within the limits, with the signal's own reason when
   * it aborts, with a TypeError or a RangeError for an ask that is wrong.
   */
  acquire(ask?: Omit<AcquireOptions, 'cost'>): Promise<Slot>;
  stats(): ConcurrencyStats;
}

/** One thing of a kind for each key: a bucket for each origin, say. */
export interface PerKey<T> {
  /** The one for a request: for `key` if that is given, else for the request's own key. */
  for(request: RequestTraits, key?: string): T;
  /** How many there are now. */
  readonly size: number;
}

/** A share of the traffic that may be retries. */
export interface RetryBudget {
  /** How many retries it would allow now; below one, the probability of one. */
  readonly balance: number;
  /**
   * A request begins. A budget that leases its retries from elsewhere has the time until the request fails to
   * fetch one.
   */
  begin?(): void;
  /** A request is over, with whatever outcome: once for each {@link begin}. */
  end?(): void;
  /** Tells of a request that went well. */
  deposit(): void;
  /** Asks for one retry. */
  withdraw(): boolean;
  /** Gives the last withdrawal back: its retry was not sent. */
  refund?(): void;
  /** True if discarding this budget loses nothing. A budget without it is never evicted by `budgetPerKey`. */
  readonly isIdle?: boolean;
}

/** The thing for a request, where there may be one for each key. */
export function forRequest<T extends object>(
  one: T | PerKey<T>,
  request: RequestTraits,
  key: string | undefined,
): T {
  return 'for' in one ? one.for(request, key) : one;
}
