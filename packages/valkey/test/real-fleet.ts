import { setTimeout as pause } from 'node:timers/promises';
import { type StoreEvent, type ValkeyBucket, type ValkeyClient, valkeyBucket } from '../src/index.ts';

export interface RealQuota {
  readonly refillPerSecond: number;
  readonly capacity: number;
  readonly timeoutMs?: number;
  readonly retryMs?: number;
}

/** Buckets with a connection each to a real store, whose callers acquire tokens as fast as they get them. */
export class RealFleet {
  /** The events of each bucket. */
  readonly events: readonly StoreEvent[][];
  readonly buckets: readonly ValkeyBucket[];
  readonly errors: unknown[] = [];
  granted = 0;
  longestMs = 0;
  /** The most that was granted at any time, as a part of `capacity + rate · t`. */
  mostUsed = 0;
  readonly #quota: RealQuota;
  readonly #startMs = performance.now();
  readonly #askers: Promise<void>[];
  #isStopped = false;

  constructor(clients: readonly ValkeyClient[], key: string, quota: RealQuota) {
    this.#quota = quota;
    this.events = clients.map(() => []);
    this.buckets = clients.map((client, at) =>
      valkeyBucket({ client, key, ...quota, onStoreEvent: (event) => this.events[at]?.push(event) }),
    );
    this.#askers = this.buckets.flatMap((bucket) => [0, 1, 2, 3].map(() => this.#ask(bucket)));
  }

  async #ask(bucket: ValkeyBucket): Promise<void> {
    // The bound ends a loop with a bucket that grants everything.
    while (!this.#isStopped && this.granted < 100_000) {
      const askedMs = performance.now();
      try {
        await bucket.acquire();
        this.granted += 1;
        this.mostUsed = Math.max(this.mostUsed, this.used);
      } catch (error) {
        if (this.#isStopped) return;
        this.errors.push(error);
        // A bucket that rejects at once would keep the event loop busy.
        await pause(5);
      }
      this.longestMs = Math.max(this.longestMs, performance.now() - askedMs);
    }
  }

  /** The part of its quota that the fleet has used so far. */
  get used(): number {
    const { capacity, refillPerSecond } = this.#quota;
    return this.granted / (capacity + ((performance.now() - this.#startMs) * refillPerSecond) / 1_000);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.buckets.map((bucket) => bucket.close()));
    await Promise.all(this.#askers);
  }
}
