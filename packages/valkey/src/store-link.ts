import { type SteadyTime, sleep } from '@ebb/core/bucket';
import { micro } from './backlog.ts';
import { BucketStore, type Outcome } from './bucket-store.ts';
import { ConnectWait } from './connect-wait.ts';
import { type Connection, watchConnection } from './connection.ts';
import type { FleetSetup } from './options.ts';
import { retryDelayMs } from './outage.ts';
import type { StoreCall } from './store-call.ts';

interface Hooks {
  /** Whether the store was never reached, and calls are to wait for its first connection. */
  readonly isNew: () => boolean;
  /** When the first request in the queue gives up; `Infinity` if never, or if none waits. */
  readonly deadlineMs: () => number;
}

/** The way to the store: one call at a time, and the wait for the first connection. */
export class StoreLink {
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #hooks: Hooks;
  readonly #store: BucketStore;
  readonly #connection: Connection;
  readonly #connectWait: ConnectWait;

  constructor(setup: FleetSetup, time: SteadyTime, hooks: Hooks) {
    this.#setup = setup;
    this.#time = time;
    this.#hooks = hooks;
    this.#connectWait = new ConnectWait(setup, time, hooks.deadlineMs);
    const connection = watchConnection(setup.client);
    this.#connection = connection;
    const capacity = micro(setup.capacity);
    const extraWaitMs = (error: unknown): number => this.#leftMs(error);
    this.#store = new BucketStore({ ...setup, connection, capacity, time, extraWaitMs });
  }

  /** Calls the store. Some clients reject calls while they connect: then again, until they are connected. Never rejects. */
  async call(call: StoreCall): Promise<Outcome> {
    this.#connectWait.start(this.#time.now());
    for (let retries = 0; ; retries += 1) {
      const outcome = await this.#store.call(call);
      if (outcome.reply !== undefined) return outcome;
      const leftMs = this.#leftMs(outcome.error);
      if (leftMs <= 0) return outcome;
      // With at most `timeoutMs` here, closing ends within twice that.
      const delayMs = Math.min(retryDelayMs(this.#setup, retries), this.#setup.timeoutMs, leftMs);
      await sleep(this.#time.clock, delayMs);
      if (!this.#hooks.isNew()) return outcome;
    }
  }

  /** How much longer to wait for the first connection, in milliseconds. */
  #leftMs(error: unknown): number {
    return this.#hooks.isNew() ? this.#connectWait.leftMs(error) : 0;
  }

  /** Stops watching the client. */
  release(): void {
    this.#connection.release();
  }
}
