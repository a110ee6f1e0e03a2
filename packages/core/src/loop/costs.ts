import { prose } from '#prose';
import { type Check, positive } from '../base/check.ts';
import { callHook } from '../base/errors.ts';
import { must } from '../base/options.ts';
import type { RequestTraits } from '../http/outcome.ts';

/** What a request costs by unit, such as `{ requests: 1, outputTokens: 700 }`. */
export type Costs = Readonly<Record<string, number>>;

/** A `cost` of a policy. */
export type CostOption = number | Costs | ((request: RequestTraits) => number | Costs);

/** A `cost` that learns from what requests have cost. */
export interface LearnsCost {
  /** Returns what learns from the answer to a request. It does not hold the request. */
  learnerFor(request: object): (actual: number | Costs) => void;
}

/** A key, of a bucket or of a fair share. */
export const checkKey: Check = (name, value) =>
  must(name, prose('a string'), value, typeof value === 'string');

/** The bucket knows its units. */
export const checkCost: Check = (name, value) => {
  if (Object(value) !== value) positive(name, value);
};

/**
 * The tokens that an attempt takes.
 *
 * @throws HookError if `cost` throws, or returns something else than costs
 */
export function costOf({ cost }: { readonly cost: CostOption }, request: RequestTraits): number | Costs {
  return typeof cost === 'function' ? callHook('cost', () => cost(request), checkCost) : cost;
}

/**
 * Returns the key (tenant) of a request.
 *
 * @throws HookError if the function throws, or returns something else than a text
 */
export function fairKeyOf(
  fairKey: string | ((request: RequestTraits) => string),
  request: RequestTraits,
): string {
  return typeof fairKey === 'string' ? fairKey : callHook('fairKey', () => fairKey(request), checkKey);
}

/** Options of {@link TokenBucket.acquire}. */
export interface AcquireOptions {
  /**
   * Tokens: above 0, and at most the capacity. At a bucket of several units the tokens of each, such as
   * `{ requests: 1, outputTokens: 700 }`: a unit that is not named costs 0, and a number is the cost in each unit.
   * @default 1
   */
  readonly cost?: number | Costs | undefined;
  /**
   * Aborts the wait. `acquire` then rejects with the signal's own reason.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * The longest wait, in milliseconds. If it is known that the wait will be longer, `acquire` rejects at once.
   * @default the `maxWaitMs` of the bucket or the limit
   */
  readonly maxWaitMs?: number | undefined;
  /**
   * A whole number from -7 to 7. The highest goes first. Other than 0 only at a limit with `queue: priorityQueue()`.
   * @default 0
   */
  readonly priority?: number | undefined;
  /**
   * The key (tenant) of the request, for a limit with `queue: fairQueue()`, which gives each key its share.
   * @default that of all requests without one
   */
  readonly fairKey?: string | undefined;
  /**
   * True for a retry, which goes before new requests.
   * @default false
   */
  readonly retry?: boolean | undefined;
  /**
   * A grant of this bucket, or of its {@link TokenBucket.gateFor}, that the same request was given before and has returned
   * because something else was lacking. With it, a bucket that drains does not refuse the request as a new one.
   * @default none
   */
  readonly earlier?: Grant | undefined;
}

/** Tokens that were taken from a bucket. */
export interface Grant {
  /** In tokens; of a bucket of several units the tokens of each. */
  readonly cost: number | Costs;
  /** How long the request waited for them, in milliseconds. */
  readonly waitedMs: number;
  /** In milliseconds since the epoch, on the clock of the bucket. */
  readonly grantedAtMs: number;
  /** False if the tokens were not available, and the bucket lets such requests pass (`nonConforming: 'mark'`). */
  readonly conforming: boolean;
  /**
   * Corrects the cost once it is known. Surplus tokens go back, as far as the bucket has had room for them since. Missing
   * tokens are taken, which may leave the bucket in debt. A unit that is not named stays as it was taken. Only the first call
   * counts.
   *
   * @throws TypeError, RangeError if a cost is negative or not finite, or the bucket has no such unit
   */
  settle(actualCost: number | Costs): void;
  /** The unit that was lacking, if the bucket has several and the request has waited. */
  readonly unit?: string | undefined;
}
