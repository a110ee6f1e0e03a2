import { checkOptions, countingNumber, having } from '../base/check.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { AcquireOptions, ConcurrencyLimit, ConcurrencyStats, PerKey, Slot } from './contracts.ts';
import type { CallsBeforeUse } from './evicted.ts';
import { KeyMap, type PerKeyOptions } from './per-key.ts';
import { SteadyTime } from './queue/time.ts';
import { WAITING_CHECKS, type WaitingOptions, WaitingRoom, waitingSetup } from './queue/waiting-room.ts';

/** What {@link concurrencyLimit} takes. */
export interface ConcurrencyOptions extends WaitingOptions {
  /** How many requests may be under way at once. */
  readonly maxConcurrent: number;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
}

class HeldSlot implements Slot {
  readonly waitedMs: number;
  #giveBack: (() => void) | undefined;

  constructor(waitedMs: number, giveBack: () => void) {
    this.waitedMs = waitedMs;
    this.#giveBack = giveBack;
  }

  release(): void {
    const giveBack = this.#giveBack;
    this.#giveBack = undefined;
    giveBack?.();
  }
}

class Semaphore implements ConcurrencyLimit, CallsBeforeUse {
  beforeUse: (() => void) | undefined;
  readonly #maxConcurrent: number;
  readonly #time: SteadyTime;
  readonly #room: WaitingRoom<Slot>;
  #inUse = 0;
  readonly #giveBack = (): void => {
    this.#inUse -= 1;
    this.#drain();
  };

  constructor(options: ConcurrencyOptions) {
    checkOptions('concurrencyLimit', options, {
      maxConcurrent: countingNumber,
      ...WAITING_CHECKS,
      clock: having('a clock', 'now', 'schedule'),
    });
    countingNumber('concurrencyLimit: maxConcurrent', options.maxConcurrent);
    this.#maxConcurrent = options.maxConcurrent;
    this.#time = new SteadyTime(options.clock ?? systemClock);
    this.#room = new WaitingRoom(waitingSetup(options), this.#time, () => this.#drain());
  }

  tryAcquire(): Slot | undefined {
    this.beforeUse?.();
    return this.#room.size === 0 && this.#inUse < this.#maxConcurrent ? this.#take(0) : undefined;
  }

  acquire(ask: Omit<AcquireOptions, 'cost'> = {}): Promise<Slot> {
    try {
      const lane = this.#room.laneFor(ask);
      if (ask.signal?.aborted) throw ask.signal.reason;
      this.beforeUse?.();
      const nowMs = this.#time.now();
      if (this.#inUse < this.#maxConcurrent && this.#room.goesFirst(lane, nowMs)) {
        return Promise.resolve(this.#take(0));
      }
      const slot = this.#room.join(ask, lane, 1, undefined, nowMs);
      this.#room.arm(nowMs, Number.POSITIVE_INFINITY);
      return slot;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  stats(): ConcurrencyStats {
    return {
      inUse: this.#inUse,
      maxConcurrent: this.#maxConcurrent,
      waiting: this.#room.size,
      refused: this.#room.refused,
    };
  }

  #take(waitedMs: number): Slot {
    this.#inUse += 1;
    return new HeldSlot(waitedMs, this.#giveBack);
  }

  #drain(): void {
    const nowMs = this.#time.now();
    this.#room.serve(nowMs, (_cost, waitedMs) =>
      this.#inUse < this.#maxConcurrent ? this.#take(waitedMs) : undefined,
    );
    // There may be more free slots than are given away in one turn.
    this.#room.arm(nowMs, this.#inUse < this.#maxConcurrent ? nowMs : Number.POSITIVE_INFINITY);
  }
}

/**
 * A bound on how many requests are under way at once: App Engine's `max_concurrent_requests`. It has nothing to
 * do with a token bucket, which bounds how many start in a time; a policy may have both, and then a
 * request takes both together: it holds neither while it waits for the other.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { concurrencyLimit, createPolicy } from '@ebb/core';
 *
 * const concurrency = concurrencyLimit({ maxConcurrent: 20, maxQueue: 1_000 });
 * const policy = createPolicy({ concurrency });
 * ```
 */
export function concurrencyLimit(options: ConcurrencyOptions): ConcurrencyLimit {
  return new Semaphore(options);
}

/**
 * A {@link concurrencyLimit} for each key: for each origin, if nothing else is said.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { concurrencyPerKey, createPolicy } from '@ebb/core';
 *
 * // Six requests at once to each origin, as browsers do over HTTP/1.1.
 * const policy = createPolicy({ concurrency: concurrencyPerKey({ maxConcurrent: 6 }) });
 * ```
 */
export function concurrencyPerKey(
  limit: ConcurrencyOptions,
  options: PerKeyOptions = {},
): PerKey<ConcurrencyLimit> {
  // Wrong options are told now, and not at the first request.
  new Semaphore(limit);
  const isIdle = (one: Semaphore): boolean => one.stats().inUse === 0 && one.stats().waiting === 0;
  return new KeyMap<Semaphore>('concurrencyPerKey', () => new Semaphore(limit), isIdle, options);
}
