import { worker } from '#worker';
import { countingNumber } from '../../base/check.ts';
import { CLOCK_OPTION, type Clock, keepAlive } from '../../base/clock.ts';
import { type Complete, type OptionTable, readOptions } from '../../base/options.ts';
import { whenBodyEnds } from '../../bodies/watch.ts';
import type { Outcome } from '../../http/outcome.ts';
import type { AcquireOptions, ConcurrencyStats, OwnLimit, Slot } from '../../loop/contracts.ts';
import type {
  Blocker,
  ChecksCalls,
  ConcurrencyLimit,
  Part,
  PartCall,
  PartInstance,
} from '../../loop/part.ts';
import { SteadyTime } from '../../queue/time.ts';
import { mustTakeCalls, WAITING_OPTIONS, type WaitingOptions, WaitQueue } from '../../queue/wait-queue.ts';
import { mustHaveClock } from '../limit.ts';
import { takingOver } from '../taking.ts';

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

  get part(): Part {
    return concurrencyPart(this, true);
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
    return this.#waiters.acquire(options, () => {
      if (worker) worker.mustBeOurs(this);
      return 1;
    });
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

/**
 * Every attempt holds a slot of the limit, until its connection is free.
 *
 * @param endsItself true if its `acquire` keeps to the signal and to `maxWaitMs`
 */
export function concurrencyPart(limit: OwnLimit, endsItself = false): Part {
  const begin = (call: PartCall): PartInstance | undefined =>
    // The outermost layer has the slot.
    call.layers.isInner ? undefined : new SlotPartInstance(limit, call, endsItself);
  return { name: 'concurrency', place: 'slot', taking: takingOver, begin };
}

class SlotPartInstance implements PartInstance, Blocker {
  readonly isForSlot = true;
  readonly endsItself: boolean;
  readonly #limit: OwnLimit;
  readonly #call: PartCall;
  #slot: Slot | undefined;

  constructor(limit: OwnLimit, call: PartCall, endsItself: boolean) {
    this.#limit = limit;
    this.#call = call;
    this.endsItself = endsItself;
  }

  get whenBodyEnds(): typeof whenBodyEnds {
    return whenBodyEnds;
  }

  acquire(): Blocker | undefined {
    // A deadlock otherwise: it would wait for a call that waits for it.
    if (this.#slot !== undefined || this.#call.layers.slotsHeld.includes(this.#limit)) return undefined;
    this.#take(this.#limit.tryAcquire());
    return this.#slot === undefined ? this : undefined;
  }

  #take(slot: Slot | undefined): void {
    this.#slot = slot;
    this.#call.bodyHolder = slot && this.#limit;
  }

  async wait(options: AcquireOptions): Promise<number> {
    // Nothing else may do so: the slots may be held by responses that have arrived, but are not read.
    const slot = await keepAlive(this.#limit.acquire(options));
    this.#take(slot);
    return slot.waitedMs;
  }

  leave(outcome: Outcome | undefined): void {
    if (outcome === undefined) this.free();
  }

  free(once?: Promise<void>): void {
    const slot = this.#slot;
    this.#take(undefined);
    if (slot === undefined || once === undefined) slot?.release();
    else void once.then(() => slot.release());
  }
}

/**
 * Limits how many requests are in flight at a time, as App Engine's `max_concurrent_requests` does. A token bucket limits
 * how many start per second; a policy may have both. A request then takes its slot and its tokens together, and holds
 * neither while it waits for the other.
 *
 * In Cloudflare Workers it belongs to the request that makes it: another one that uses it gets a TypeError.
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
