import { type Quota, type SteadyTime, sleep } from '@ebb/core/bucket';
import { BucketStore, type Outcome } from './bucket-store.ts';
import { type Connection, watchConnection } from './connection.ts';
import type { OperationResult } from './operator-call.ts';
import type { FleetSetup } from './options.ts';
import { retryDelayMs } from './outage.ts';
import type { StoreCall } from './store-call.ts';
import { isPermanent } from './store-error.ts';

/** Default of `connectTimeoutMs`. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Times are sums of fractions: a rest below this may be too short for the clock to measure. In milliseconds. */
const SHORTEST_MS = 1e-3;

const notTooShort = (leftMs: number): number => (leftMs < SHORTEST_MS ? 0 : leftMs);

interface Hooks {
  /** Whether the store was never reached, and calls are to wait for its first connection. */
  readonly isNew: () => boolean;
  /** When the first request in the queue gives up; `Infinity` if never, or if none waits. */
  readonly deadlineMs: () => number;
  /** Whether a call may take twice the time. */
  readonly isSlow: () => boolean;
}

/** The way to the store: one call at a time, and the wait for the first connection. */
export class StoreLink {
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #hooks: Hooks;
  readonly #store: BucketStore;
  readonly #connection: Connection;
  /** When the store was called first. */
  #startedAtMs: number | undefined;

  constructor(setup: FleetSetup, time: SteadyTime, hooks: Hooks) {
    this.#setup = setup;
    this.#time = time;
    this.#hooks = hooks;
    const connection = watchConnection(setup.client);
    this.#connection = connection;
    const extraWaitMs = (error: unknown, silentMs: number): number =>
      Math.max(this.#leftMs(error), hooks.isSlow() ? notTooShort(2 * setup.timeoutMs - silentMs) : 0);
    this.#store = new BucketStore({ ...setup, connection, time, extraWaitMs });
  }

  /** Calls the store. Some clients reject calls while they connect: then again, until they are connected. Never rejects. */
  async call(call: StoreCall, sentAtMs: number): Promise<Outcome> {
    this.#startedAtMs ??= sentAtMs;
    for (let nowMs = sentAtMs, retries = 0; ; nowMs = this.#time.now(), retries += 1) {
      const outcome = await this.#store.call(call, nowMs);
      if (outcome.reply !== undefined) return outcome;
      const leftMs = this.#leftMs(outcome.error);
      if (leftMs <= 0) return outcome;
      // With at most `timeoutMs` here, closing ends within twice that.
      const delayMs = Math.min(retryDelayMs(this.#setup, retries), this.#setup.timeoutMs, leftMs);
      await sleep(this.#time.clock, delayMs);
      if (!this.#hooks.isNew()) return outcome;
    }
  }

  /** As {@link BucketStore.setLimits}. */
  setLimits(changed: readonly number[], limits: readonly Quota[]): Promise<OperationResult> {
    return this.#store.setLimits(changed, limits);
  }

  /** How much longer to wait for the first connection, in milliseconds; 0 if requests can go without, or never get it. */
  #leftMs(error: unknown): number {
    const { onStoreError, localShare, connectTimeoutMs } = this.#setup;
    const needsStore = onStoreError === 'closed' || (onStoreError === 'local' && localShare === undefined);
    if (!needsStore || isPermanent(error) || !this.#hooks.isNew()) return 0;
    const untilMs = (this.#startedAtMs ?? 0) + (connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
    const deadlineMs = connectTimeoutMs === undefined ? this.#hooks.deadlineMs() : Number.POSITIVE_INFINITY;
    const endMs = deadlineMs === Number.POSITIVE_INFINITY ? untilMs : Math.max(untilMs, deadlineMs);
    const leftMs = endMs - this.#time.now();
    return notTooShort(leftMs);
  }

  get store(): BucketStore {
    return this.#store;
  }

  /** Stops watching the client. */
  release(): void {
    this.#connection.release();
  }
}
