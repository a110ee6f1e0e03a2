import { callable, countingNumber, notNegative, wrongType } from '../../base/check.ts';
import type { Clock } from '../../base/clock.ts';
import { ownClock } from '../../base/clock.ts';
import { callHook, ThrottledError } from '../../base/errors.ts';
import { CLOCK_OPTION, type Complete, type OptionTable, readOptions } from '../../base/options.ts';
import { plainFeedback, type ReadFeedback } from '../../http/feedback.ts';
import { originOf } from '../../http/origin.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import {
  type ChecksCalls,
  type CloseOptions,
  forRequest,
  mustHaveClock,
  type ObservableBucket,
  type PerKey,
  type RetryBudget,
  waitingAtClose,
} from '../../loop/contracts.ts';
import { checkKey } from '../../loop/costs.ts';
import type { Part, Place } from '../../loop/part.ts';
import { KeyMap } from './key-map.ts';
import { HeldBudget, perKeyPart } from './part.ts';

/** Options of {@link perKey}. */
export interface PerKeyOptions {
  /**
   * The key of a request. Requests with the same key share a limit.
   * @default the origin of its URL
   */
  readonly keyOf?: ((request: RequestTraits) => string) | undefined;
  /**
   * The most keys at a time. If none of them is idle, a request with another key fails with a `ThrottledError` before
   * it is sent: evicting one that is in use would forget what it has counted. Budgets refuse nothing: further keys share one
   * more budget instead. A limit that is used by its holder after it was evicted comes back, even above this number.
   * @default 10_000
   */
  readonly maxKeys?: number | undefined;
  /**
   * How long a key must not be used before it is evicted, in milliseconds. Only what is as good as new is evicted, and it
   * is found again as long as something refers to it.
   * @default 60_000
   */
  readonly idleMs?: number | undefined;
  /** @default that of the system. The limits and the policy must have the same */
  readonly clock?: Clock | undefined;
}

const PER_KEY_OPTIONS: OptionTable<PerKeyOptions> = {
  keyOf: { check: callable, default: originOf },
  maxKeys: { check: countingNumber, default: 10_000 },
  idleMs: { check: notNegative, default: 60_000 },
  clock: CLOCK_OPTION,
};

/** A bucket per key. All of them can be closed together. */
export interface BucketPerKey<B extends ObservableBucket> extends PerKey<B> {
  /** Resolves when no request waits at any of them: at once if none does. */
  idle(): Promise<void>;
  /** Closes all of them, and those of keys to come, as {@link ObservableBucket.close} does. */
  close(options?: CloseOptions): Promise<void>;
}

/** What a limit may offer. All that is known of it is found here: this module imports no limit. */
interface Limit extends Partial<Pick<RetryBudget, 'isIdle' | 'withdraw'>> {
  stats?(): { readonly idle?: boolean; readonly inUse?: number; readonly waiting?: number };
  readonly feedback?: ReadFeedback | false;
  idle?(): Promise<void>;
  close?(options?: CloseOptions): Promise<void>;
}

class LimitPerKey implements PerKey<object>, ChecksCalls {
  readonly #map: KeyMap<Limit>;
  readonly #make: (key: string) => object;
  readonly #setup: Complete<PerKeyOptions>;
  readonly #clock: Clock;
  #closed: CloseOptions | undefined;
  #areBudgets = false;
  /** What it makes is not known yet. Of two parts in one place the one that its option puts first goes first. */
  #place: Place = 'tokens';
  /** The limit that was made last. */
  #last: Limit | undefined;
  /** The budget of all keys for which there is no room. */
  #overflow: Limit | undefined;

  constructor(make: (key: string) => object, setup: Complete<PerKeyOptions>) {
    this.#make = make;
    this.#setup = setup;
    this.#clock = ownClock(setup.clock);
    this.#map = new KeyMap({
      make: (key) => this.#made(key),
      isIdle: (limit) => this.#isIdle(limit),
      maxKeys: setup.maxKeys,
      idleMs: setup.idleMs,
    });
  }

  get part(): Part {
    return perKeyPart(this.#place, ({ request, policy }) => forRequest(this, request, policy.key, policy));
  }

  /** How its buckets read responses, for a policy. They are made for single keys, but alike. */
  get feedback(): ReadFeedback {
    return (...read) => (this.#last?.feedback || plainFeedback)(...read);
  }

  /** The limits of single keys are made alike: if there is one, the policy need not wait for its first request. */
  checkCalls(calls: Parameters<ChecksCalls['checkCalls']>[0]): void {
    mustHaveClock('perKey', this.#clock, calls);
    // A throttle per key is asked before slots and tokens, as any throttle.
    if (calls.throttle === this) this.#place = 'throttle';
    (this.#last as Partial<ChecksCalls> | undefined)?.checkCalls?.(calls);
  }

  get size(): number {
    return this.#map.size;
  }

  /**
   * @throws ThrottledError if there is no room for another key
   * @throws HookError if `keyOf` or `make` throws, or returns something else
   */
  for(request: RequestTraits, key: string = this.#keyOf(request)): object {
    const limit = this.#find(key);
    return this.#areBudgets ? new HeldBudget(this.#find, key, limit) : limit;
  }

  /** A budget, if the limits are. */
  readonly #find = (key: string): Limit & RetryBudget => {
    let limit = this.#map.find(key, this.#clock.now());
    if (limit === undefined && this.#areBudgets) {
      // An error in place of a budget would lose a response that is already there.
      this.#overflow ??= this.#made(key);
      limit = this.#overflow;
    }
    if (limit !== undefined) return limit as Limit & RetryBudget;
    const message = `Not sent: ${this.#setup.maxKeys} keys are in use, which is the limit`;
    throw new ThrottledError(message, undefined, { reason: 'too-many-keys' });
  };

  #keyOf(request: RequestTraits): string {
    const { keyOf } = this.#setup;
    return callHook('keyOf', () => keyOf(request), checkKey);
  }

  #made(key: string): Limit {
    const limit: Limit = callHook('make', () => {
      const made = this.#make(key);
      if (typeof made !== 'object' || made === null) throw wrongType('its result', 'a limit', made);
      (made as Partial<ChecksCalls>).checkCalls?.({ clock: this.#clock });
      return made;
    });
    if (this.#closed !== undefined) void limit.close?.(this.#closed);
    this.#areBudgets = limit.withdraw !== undefined;
    this.#last = limit;
    return limit;
  }

  /** What says nothing of itself is never evicted. */
  #isIdle(limit: Limit): boolean {
    const { idle = limit.isIdle, inUse, waiting } = limit.stats?.() ?? {};
    if (idle !== undefined) {
      // A closed bucket without a queue is as good as new once new buckets are closed as well.
      return idle || (this.#closed !== undefined && waiting === 0);
    }
    return inUse === 0 && waiting === 0;
  }

  *#all(): Generator<Limit> {
    yield* this.#map.values();
    if (this.#overflow !== undefined) yield this.#overflow;
  }

  async idle(): Promise<void> {
    const busy = (): Limit[] => [...this.#all()].filter((limit) => (limit.stats?.().waiting ?? 0) > 0);
    for (let some = busy(); some.length > 0; some = busy()) {
      await Promise.all(some.map((limit) => limit.idle?.()));
    }
  }

  async close(options?: CloseOptions): Promise<void> {
    const closed = { waiting: waitingAtClose(options) };
    this.#closed = closed;
    await Promise.all([...this.#all()].map((limit) => limit.close?.(closed)));
  }
}

/**
 * A limit per key: by default per origin. `make` returns that of a new key: a bucket, a concurrency limit, a retry budget,
 * of ebb or of your own.
 *
 * A key never has two: one that you hold is the one that `for` returns, even if it was evicted in between.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, perKey, retryBudget, tokenBucket } from '@ebb/core';
 *
 * const policy = createPolicy({
 *   // 10 requests per second for each tenant.
 *   bucket: perKey(() => tokenBucket({ refillPerSecond: 10 }), {
 *     keyOf: (request) => request.header('x-tenant') ?? '',
 *   }),
 *   // An origin that is down uses up its own budget only.
 *   budget: perKey(() => retryBudget({ ratio: 0.1 })),
 * });
 * ```
 */
export function perKey<B extends ObservableBucket>(
  make: (key: string) => B,
  options?: PerKeyOptions,
): BucketPerKey<B>;
export function perKey<T extends object>(make: (key: string) => T, options?: PerKeyOptions): PerKey<T>;
export function perKey(make: (key: string) => object, options: PerKeyOptions = {}): PerKey<object> {
  callable('perKey: make', make);
  return new LimitPerKey(make, readOptions('perKey', options, PER_KEY_OPTIONS));
}
