import { devTextOf } from '#dev-text';
import { oneOf } from '../base/check.ts';
import { isSameClock } from '../base/clock.ts';
import { type OptionTable, readOptions } from '../base/options.ts';
import type { Clock } from '../base/time.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { CallPolicy } from '../policy/call-view.ts';
import type { Calls, ChecksCalls, PerKey, TokenBucket } from '../policy/limit-options.ts';

/**
 * @param what the name of the limit
 * @throws TypeError if the calls of a limit run on another clock
 */
export function mustHaveClock(what: string, own: Clock, { clock = own }: Calls): void {
  if (isSameClock(own, clock)) return;
  const message = devTextOf(
    () =>
      `The clock of ${what} differs from that of its policy, or of its perKey: pass one \`clock\` to both`,
  );
  throw new TypeError(message ?? `clock: ${what}`);
}

/**
 * The bucket, limit or budget of a request, if there may be one per key.
 *
 * @param calls the options of the policy for queues: the queue of a limit per key is known only here
 * @throws TypeError if its queue has no priorities, or no shares
 */
export function forRequest<T extends object>(
  one: T | PerKey<T>,
  request: RequestTraits,
  key: string | undefined,
  calls: Pick<CallPolicy, 'fairKey'> & Partial<Pick<CallPolicy, 'priority'>> = {},
): T {
  return 'for' in one ? checkedFor(one.for(request, key), calls) : one;
}

/**
 * A limit per key, which is known only with its first request.
 *
 * @throws TypeError if its queue has no priorities, or no shares
 */
export function checkedFor<T extends object>(
  limit: T,
  { priority, fairKey }: Pick<CallPolicy, 'fairKey'> & Partial<Pick<CallPolicy, 'priority'>>,
): T {
  if (priority || fairKey !== undefined) (limit as Partial<ChecksCalls>).checkCalls?.({ priority, fairKey });
  return limit;
}

/** The state of one unit of a bucket. */
export interface UnitStats {
  /** Tokens that are available now. A negative number is a debt. */
  readonly tokens: number;
  /** In tokens. */
  readonly capacity: number;
  /** Tokens per second. */
  readonly refillPerSecond: number;
}

/** The state of a bucket. At a bucket of several units the numbers are from the unit with the smallest share of its capacity. */
export interface BucketStats extends UnitStats {
  /** The state of each unit, by name; `undefined` for a bucket of one unit. */
  readonly units?: Readonly<Record<string, UnitStats>>;
  /** Requests that wait, including those for a paused origin. */
  readonly waiting: number;
  /** The tokens that they wait for. */
  readonly waitingCost: number;
  /** The rest of the pause, in milliseconds: of the bucket, or of the origin with the longest pause. 0 without a pause. */
  readonly pausedMs: number;
  /** Requests that were granted tokens so far, including marked ones. */
  readonly granted: number;
  /** Requests that were marked so far: sent although the tokens were not available. */
  readonly marked: number;
  /** Requests that {@link TokenBucket.acquire} refused so far, without aborted ones. */
  readonly refused: number;
  /** True if discarding this bucket loses nothing: it is full, not paused, at its original rate, and has no queue. */
  readonly idle: boolean;
}

/** Options of {@link ObservableBucket.close}. */
export interface CloseOptions {
  /**
   * The end of the waiting requests. `'reject'`: requests are rejected at once. `'drain'`: requests get their tokens in turn.
   * @default 'reject'
   */
  readonly waiting?: 'reject' | 'drain' | undefined;
}

/** @throws TypeError, RangeError for a wrong option */
export function waitingAtClose(options: CloseOptions = {}): 'reject' | 'drain' {
  // Made here: a program without it does not have the table.
  const table: OptionTable<CloseOptions> = {
    waiting: { check: oneOf('reject', 'drain'), default: 'reject' },
  };
  return readOptions('close', options, table).waiting;
}

/** A bucket that can be paused, closed and inspected. */
export interface ObservableBucket extends TokenBucket {
  /**
   * Pauses the bucket and empties it. It refills from the end of the pause. Never shortens a pause. Waiting requests whose
   * deadline is within the pause are rejected now, a few hundred per turn of the event loop.
   *
   * @param durationMs in milliseconds
   * @throws TypeError, RangeError if the duration is negative or not finite
   */
  pauseFor(durationMs: number): void;
  /**
   * Ends every pause now: that of the bucket and those of single origins. A paused bucket is empty then, and refills. Does
   * nothing without a pause.
   */
  resume(): void;
  /** Resolves when no request waits: at once if none does. It does not keep the process alive. */
  idle(): Promise<void>;
  /**
   * Stops granting tokens to new requests: `acquire` rejects with a `NotSentError` whose reason is `'closed'`, and
   * `tryAcquire` returns `undefined`, also with `nonConforming: 'mark'`. Resolves when no request waits any more. Grants
   * can still be settled. A second call does nothing, except that `'reject'` after `'drain'` rejects the rest of the queue.
   *
   * Rejects with a `TypeError` or `RangeError` for a wrong option.
   */
  close(options?: CloseOptions): Promise<void>;
  /** The state of the bucket now. */
  stats(): BucketStats;
}
