import { worker } from '#worker';
import { countingNumber } from '../../base/check.ts';
import { CLOCK_OPTION, keepAlive } from '../../base/clock.ts';
import { type Complete, type OptionTable, readOptions } from '../../base/options.ts';
import type { Clock } from '../../base/time.ts';
import { whenBodyEnds } from '../../bodies/watch.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { AcquireOptions, ConcurrencyStats, Slot, SlotMethods } from '../../policy/contracts.ts';
import type { BroughtLimit, Limit, Permit, Wait } from '../../policy/limit.ts';
import type { ChecksCalls, ConcurrencyLimit } from '../../policy/limit-options.ts';
import { WAITING_OPTIONS, type WaitingOptions } from '../../queue/options.ts';
import { SteadyTime } from '../../queue/time.ts';
import { mustTakeCalls, WaitQueue } from '../../queue/wait-queue.ts';
import { mustHaveClock } from '../limit.ts';

/** Options of {@link concurrencyLimit}. */
export interface ConcurrencyOptions extends WaitingOptions {
  /** The most requests in flight at a time. */
  readonly maxConcurrent: number;
  /** @default that of the system. A policy must have the same */
  readonly clock?: Clock | undefined;
}

const CONCURRENCY_OPTIONS: OptionTable<ConcurrencyOptions> = {
  maxConcurrent: { check: countingNumber, required: true },
  ...WAITING_OPTIONS,
  clock: CLOCK_OPTION,
};

class HeldSlot implements Slot {
  readonly waitedMs: number;
  #release: (() => void) | undefined;

  constructor(waitedMs: number, release: () => void) {
    this.waitedMs = waitedMs;
    this.#release = release;
  }

  release(): void {
    const release = this.#release;
    this.#release = undefined;
    release?.();
  }
}

class Semaphore implements ConcurrencyLimit, ChecksCalls {
  readonly #maxConcurrent: number;
  readonly #time: SteadyTime;
  readonly #waiters: WaitQueue<Slot>;
  #inUse = 0;
  readonly #release = (): void => {
    this.#inUse -= 1;
    // Without a queue the time is not needed, and reading it is most of the work.
    if (this.#waiters.size > 0) this.#waiters.serve();
  };

  constructor(setup: Complete<ConcurrencyOptions>) {
    this.#maxConcurrent = setup.maxConcurrent;
    this.#time = new SteadyTime(setup.clock);
    this.#waiters = new WaitQueue(setup, this.#time, (_, waitedMs) => this.#take(waitedMs));
    // A request that ends, or is cancelled, runs nothing more, and frees no slot.
    if (worker) worker.bind(this, 'concurrencyLimit');
  }

  get limit(): BroughtLimit {
    return { limit: new SlotLimit(this) };
  }

  checkCalls(calls: Parameters<ChecksCalls['checkCalls']>[0]): void {
    mustHaveClock('a concurrency limit', this.#time.clock, calls);
    mustTakeCalls(this.#waiters.queue, calls);
  }

  tryAcquire(): Slot | undefined {
    if (worker) worker.mustBeOurs(this);
    return this.#waiters.size === 0 ? this.#take(0) : undefined;
  }

  acquire(options: Omit<AcquireOptions, 'cost'> = {}): Promise<Slot> {
    try {
      if (worker) worker.mustBeOurs(this);
      return this.#waiters.acquire(options, 1);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  stats(): ConcurrencyStats {
    return {
      inUse: this.#inUse,
      maxConcurrent: this.#maxConcurrent,
      waiting: this.#waiters.size,
      refused: this.#waiters.refused,
    };
  }

  #take(waitedMs: number): Slot | undefined {
    if (this.#inUse === this.#maxConcurrent) return undefined;
    this.#inUse += 1;
    return new HeldSlot(waitedMs, this.#release);
  }
}

/** Every attempt holds a slot of the limit, until its connection is free. */
class SlotLimit implements Limit {
  readonly name = 'concurrency';
  readonly #limit: SlotMethods;

  constructor(limit: SlotMethods) {
    this.#limit = limit;
  }

  get whenBodyEnds(): typeof whenBodyEnds {
    return whenBodyEnds;
  }

  take(call: CallView): Permit | Wait | undefined {
    const limit = this.#limit;
    // Otherwise a deadlock: the call would wait for an outer call that waits for it.
    if (call.outer?.slotsHeld.includes(limit)) return undefined;
    const slot = limit.tryAcquire();
    return slot === undefined ? this.#waitFor(call) : new SlotPermit(slot, limit, call);
  }

  #waitFor(call: CallView): Wait {
    const limit = this.#limit;
    return {
      isForSlot: true,
      // Its `acquire` keeps to the signal and to `maxWaitMs`.
      endsItself: true,
      // Keeps the process alive: nothing else may, if the slots are held by responses that have arrived but are not read.
      acquire: (options) =>
        keepAlive(limit.acquire(options)).then((slot) => new SlotPermit(slot, limit, call)),
    };
  }
}

class SlotPermit implements Permit {
  readonly waitedMs: number;
  readonly #call: CallView;
  #slot: Slot | undefined;

  constructor(slot: Slot, limit: SlotMethods, call: CallView) {
    this.waitedMs = slot.waitedMs;
    this.#slot = slot;
    this.#call = call;
    call.bodyHolder = limit;
  }

  cancel(): void {
    this.release();
  }

  release(once?: Promise<void>): void {
    const slot = this.#slot;
    if (slot === undefined) return;
    this.#slot = undefined;
    this.#call.bodyHolder = undefined;
    if (once === undefined) slot.release();
    else void once.then(() => slot.release());
  }
}

/**
 * Limits how many requests are in flight at a time, as App Engine's `max_concurrent_requests` does. A token bucket limits
 * how many start per second; a policy may have both. A request then takes its slot and its tokens together, and holds
 * neither while it waits for the other.
 *
 * In Cloudflare Workers the limit belongs to the request that makes it: its use in another request is a TypeError.
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
  return new Semaphore(readOptions('concurrencyLimit', options, CONCURRENCY_OPTIONS));
}
