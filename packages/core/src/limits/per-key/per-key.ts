import { devText, devTextOf } from '#dev-text';
import { callable, countingNumber, notNegative, wrongType } from '../../base/check.ts';
import { CLOCK_OPTION, ownClock } from '../../base/clock.ts';
import { callHook, HookError, isObject, warn } from '../../base/errors.ts';
import { type Complete, type OptionTable, readOptions } from '../../base/options.ts';
import type { Clock } from '../../base/time.ts';
import { plainFeedback } from '../../http/feedback.ts';
import { originOf, type ReadFeedback, type RequestTraits } from '../../http/outcome.ts';
import type { CallView } from '../../policy/call-view.ts';
import { checkKey } from '../../policy/cost.ts';
import { type BroughtLimit, type Limit, limitIn } from '../../policy/limit.ts';
import type { ChecksCalls, PerKey, RetryBudget, TokenBucket } from '../../policy/limit-options.ts';
import {
  type CloseOptions,
  checkedFor,
  mustHaveClock,
  type ObservableBucket,
  waitingAtClose,
} from '../limit.ts';

/** Options of {@link perKey}. */
export interface PerKeyOptions {
  /**
   * The key of a request. Requests with the same key share a limit.
   * @default the origin of its URL
   */
  readonly keyOf?: ((request: RequestTraits) => string) | undefined;
  /**
   * The most keys while some of them are idle: idle keys make room for others. A key in use is kept, since its eviction would
   * forget its counts. A warning is shown once if more keys are in use.
   * @default 10_000
   */
  readonly maxKeys?: number | undefined;
  /**
   * How long a key must not be used before it is evicted, in milliseconds. Only a limit as good as new is evicted, and not during
   * a call that uses it.
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

/** The members that a limit may have. This module imports no limit, and knows these members alone. */
export interface LimitOfKey
  extends Partial<Pick<RetryBudget, 'isIdle'> & Pick<TokenBucket, 'limit'> & ChecksCalls> {
  stats?(): { readonly idle?: boolean; readonly inUse?: number; readonly waiting?: number };
  readonly feedback?: ReadFeedback | false;
  idle?(): Promise<void>;
  close?(options?: CloseOptions): Promise<void>;
}

/** The limit of one key. */
export interface Entry {
  readonly limit: LimitOfKey;
  /** The calls that have begun with it, and not ended. */
  calls: number;
  /** How it stands in calls. Made when it is first used in one. */
  counted?: BroughtLimit<Limit>;
  usedAtMs: number;
}

/** A limit that counts its calls. The limit stays until its calls have ended, so that later requests learn from the answers. */
function countCalls(limit: Limit, entry: Entry): Limit {
  return {
    name: limit.name,
    isForInner: limit.isForInner === true,
    started(call) {
      limit.started?.(call);
      entry.calls += 1;
    },
    ...(limit.take && { take: (call, earlier) => limit.take?.(call, earlier) }),
    planRetry: (call, retry) => limit.planRetry?.(call, retry),
    ended(call, reason) {
      entry.calls -= 1;
      limit.ended?.(call, reason);
    },
    whenBodyEnds: limit.whenBodyEnds,
  };
}

/** Idle entries are evicted by lookups, without timers. An entry in use is never evicted, however many there are. */
export class LimitPerKey implements PerKey<object>, ChecksCalls {
  readonly #entries = new Map<string, Entry>();
  /** When old entries are evicted next, and when any that are idle are, if there are too many. */
  #nextSweepMs = 0;
  #nextRoomMs = 0;
  #hasWarned = false;
  readonly #setup: Complete<PerKeyOptions>;
  readonly #make: (key: string) => object;
  readonly #clock: Clock;
  #closed: CloseOptions | undefined;
  /** The limit that was made last. */
  #last: LimitOfKey | undefined;

  constructor(make: (key: string) => object, setup: Complete<PerKeyOptions>) {
    this.#make = make;
    this.#setup = setup;
    this.#clock = ownClock(setup.clock);
  }

  /** In a call the limit of its key stands for it. */
  get limit(): BroughtLimit {
    return { limit: { name: 'per-key', forCall: (call) => this.#limitFor(call) } };
  }

  #limitFor(call: CallView): BroughtLimit<Limit> {
    const found = this.#countedFor(call);
    // A budget pays for retries with the successes of one key.
    return call.moves && found.limit.take ? { ...found, limit: this.#following(found.limit) } : found;
  }

  /** For a call whose attempts may have other keys. Each takes from the limit of its own key. */
  #following(first: Limit): Limit {
    const used = [first];
    return {
      ...first,
      take: (call, earlier) => {
        const { limit } = this.#countedFor(call);
        if (!used.includes(limit)) {
          limit.started?.(call);
          used.push(limit);
        }
        return limit.take?.(call, earlier);
      },
      ended: (call, reason) => {
        for (const one of used) one.ended?.(call, reason);
      },
    };
  }

  #countedFor(call: CallView): BroughtLimit<Limit> {
    const entry = this.#find(call.request, call.policy.key);
    const brought = limitIn(checkedFor(entry.limit, call.policy));
    // A `perKey` in another one would not be asked.
    if (brought === undefined || 'forCall' in brought.limit)
      throw new HookError('make', wrongType('its result', devText('a limit'), entry.limit));
    entry.counted ??= { ...brought, limit: countCalls(brought.limit, entry) };
    return entry.counted;
  }

  /** Reads responses as its buckets do, for a policy. The buckets are made for single keys, but alike. */
  get feedback(): ReadFeedback {
    return (...read) => (this.#last?.feedback || plainFeedback)(...read);
  }

  /** The limits of single keys are made alike: if there is one, the policy need not wait for its first request. */
  checkCalls(calls: Parameters<ChecksCalls['checkCalls']>[0]): void {
    mustHaveClock('perKey', this.#clock, calls);
    this.#last?.checkCalls?.(calls);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @throws HookError if `keyOf` or `make` throws, or returns something else */
  for(request: RequestTraits, key?: string): object {
    return this.#find(request, key).limit;
  }

  #find(
    request: RequestTraits,
    key: string = callHook('keyOf', () => this.#setup.keyOf(request), checkKey),
  ): Entry {
    const nowMs = this.#clock.now();
    let entry = this.#entries.get(key);
    this.#sweep(nowMs, entry);
    if (entry !== undefined) {
      entry.usedAtMs = nowMs;
      return entry;
    }
    entry = { limit: this.#made(key), calls: 0, usedAtMs: nowMs };
    this.#entries.set(key, entry);
    return entry;
  }

  /** Evicts idle entries: once in `idleMs`, those that were not used for so long; if there are too many, any, once in a second. */
  #sweep(nowMs: number, found: Entry | undefined): void {
    const { maxKeys, idleMs } = this.#setup;
    const isFull = found === undefined && this.#entries.size >= maxKeys;
    if (nowMs < (isFull ? this.#nextRoomMs : this.#nextSweepMs)) return;
    this.#nextSweepMs = nowMs + idleMs;
    for (const [key, entry] of this.#entries) {
      const isOld = isFull || nowMs - entry.usedAtMs >= idleMs;
      if (isOld && entry !== found && this.mayEvict(key, entry)) this.#entries.delete(key);
    }
    if (!isFull || this.#entries.size < maxKeys) return;
    this.#nextRoomMs = nowMs + 1_000;
    if (!this.#hasWarned)
      warn(devTextOf(() => `More than ${maxKeys} keys (maxKeys) of one perKey are in use`) ?? 'maxKeys');
    this.#hasWarned = true;
  }

  #made(key: string): LimitOfKey {
    const limit: LimitOfKey = callHook('make', () => {
      const made = this.#make(key);
      if (!isObject(made)) throw wrongType('its result', 'a limit', made);
      (made as Partial<ChecksCalls>).checkCalls?.({ clock: this.#clock });
      return made;
    });
    if (this.#closed !== undefined) void limit.close?.(this.#closed);
    this.#last = limit;
    return limit;
  }

  /** True for an idle entry. A limit without a report of its state is never evicted. */
  protected mayEvict(_key: string, { limit, calls }: Entry): boolean {
    if (calls > 0) return false;
    const { idle = limit.isIdle, inUse, waiting } = limit.stats?.() ?? {};
    if (idle !== undefined) {
      // A closed bucket without a queue is as good as new once new buckets are closed as well.
      return idle || (this.#closed !== undefined && waiting === 0);
    }
    return inUse === 0 && waiting === 0;
  }

  /** Evicts idle and old entries. */
  protected tidy(): void {
    this.#nextSweepMs = 0;
    this.#sweep(this.#clock.now(), undefined);
  }

  protected all(): LimitOfKey[] {
    return [...this.#entries.values()].map(({ limit }) => limit);
  }

  async idle(): Promise<void> {
    const busy = (): LimitOfKey[] => this.all().filter((limit) => (limit.stats?.().waiting ?? 0) > 0);
    for (let some = busy(); some.length > 0; some = busy()) {
      await Promise.all(some.map((limit) => limit.idle?.()));
    }
  }

  async close(options?: CloseOptions): Promise<void> {
    const closed = { waiting: waitingAtClose(options) };
    this.#closed = closed;
    await Promise.all(this.all().map((limit) => limit.close?.(closed)));
  }
}

/**
 * A limit per key: by default per origin. `make` returns that of a new key: a bucket, a concurrency limit, a retry budget,
 * of ebb or of your own. Instead of `perKey` with a `valkeyBucket` use `valkeyBucketPerKey`: a process is counted once, not for each key.
 *
 * Ask `for` at each use: a limit that you keep may have been evicted while its key was not used, and the key then gets another
 * one.
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
