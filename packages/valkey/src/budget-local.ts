import { type RetryBudget, retryBudget } from '@ebb/core';
import type { SteadyTime } from '@ebb/core/bucket';
import type { BudgetSetup } from './budget-options.ts';
import type { BudgetReply } from './budget-store.ts';

/** The reserve of a process that never reached the store. */
const COLD_RESERVE = 0.1;

/** The store counts processes per hour and keeps the hour before; after a loss it counts from 0 again. In milliseconds. */
const COUNT_VALID_MS = 2 * 3_600_000;

/** The count is looked at again so long after it grew, in milliseconds. */
export const LOOK_MS = 500;

/** A count that is valid for this long is believed for as long again, in milliseconds. */
const BELIEVED_MS = 1_000;

/** A count that grows by less is not looked at again: a fleet of thousands grows all the time. */
const GROWTH = 1.1;

/** As in core's `retryBudget`: after so many windows without use a budget has its reserve again. */
const RESTING_WINDOWS = 6;

/** With a reserve of 0 a balance below one would never be drawn. */
const LEAST_RESERVE = 1e-6;

/** The retry budget of one process without the store, by the last replies. */
export class LocalBudget {
  readonly #setup: BudgetSetup;
  readonly #time: SteadyTime;
  /** The highest number of processes that the store counted lately; 0 before the first reply. */
  processes = 0;
  /** The count grew at the last reply, so other processes may still be starting. */
  isGrowing = false;
  #countedAtMs = Number.NEGATIVE_INFINITY;
  /** Since when the count has been about the same, and what it was then. */
  #settledAtMs = 0;
  #settled = 0;
  #repliedAtMs = 0;
  /** The part of the fleet's budget that was neither leased nor spent, from 0 to 1. */
  #free = 1;
  /** The budget of the last outage, and when that outage ended. */
  #budget: RetryBudget | undefined;
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(setup: BudgetSetup, time: SteadyTime) {
    this.#setup = setup;
    this.#time = time;
  }

  /** The budget of the present outage, or of the last one. */
  get budget(): RetryBudget | undefined {
    return this.#budget;
  }

  /** Learns from a reply, a late one as well. */
  observe({ processes, free }: BudgetReply): void {
    const nowMs = this.#time.now();
    this.#free = free;
    this.#repliedAtMs = nowMs;
    this.isGrowing = processes > GROWTH * this.#settled;
    if (this.isGrowing) {
      this.#settled = processes;
      this.#settledAtMs = nowMs;
    }
    if (processes < this.processes && nowMs < this.#countedAtMs + COUNT_VALID_MS) return;
    if (processes < this.processes) this.#settled = processes;
    this.processes = processes;
    this.#countedAtMs = nowMs;
  }

  /** Starts an outage. Returns the part of the fleet's reserve that this process has meanwhile, from 0 to 1. */
  open(): number {
    const { ratio, reserve, windowMs, random, localReserve } = this.#setup;
    const share = this.#share;
    // A store that comes and goes must not bring a new reserve each time.
    if (this.#budget === undefined || this.#time.now() - this.#untilMs > RESTING_WINDOWS * windowMs) {
      const part = share * reserve * this.#free;
      // Before the first look at the count, a process knows as little of the others as one that never reached the store.
      const known =
        this.processes === 0 ? COLD_RESERVE : this.isGrowing ? Math.min(part, COLD_RESERVE) : part;
      const own = localReserve ?? Math.min(reserve, Math.max(known, LEAST_RESERVE));
      this.#budget = retryBudget({ ratio, reserve: own, windowMs, clock: this.#time.clock, random });
    }
    return share;
  }

  /** Ends the outage. */
  close(): void {
    this.#untilMs = this.#time.now();
  }

  /**
   * The part of this process, 1 / the number of counted processes. The part is smaller if the last reply is old and the count was young,
   * because more processes may have started since.
   */
  get #share(): number {
    if (this.processes === 0) return 0;
    const ageMs = this.#time.now() - this.#repliedAtMs;
    const believedMs = BELIEVED_MS + this.#repliedAtMs - this.#settledAtMs;
    return Math.min(1, believedMs / ageMs) / this.processes;
  }
}
