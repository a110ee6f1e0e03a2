import type { Grant } from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { type StoreEvent, type ValkeyBucket, type ValkeyBucketOptions, valkeyBucket } from '../src/index.ts';
import { ModelStore } from './model-store.ts';

export const RATE = 400;
export const CAPACITY = 80;

/** A store under a virtual clock, and the events of all buckets that use it. */
export class StoreWorld {
  readonly clock: VirtualClock = virtualClock({ startMs: 0 });
  readonly store: ModelStore = new ModelStore(this.clock);
  readonly events: StoreEvent[] = [];

  bucket(options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket {
    const { clock, store, events } = this;
    return valkeyBucket({
      ...{ client: store, key: 'k', refillPerSecond: RATE, capacity: CAPACITY, clock, random: () => 0.5 },
      onStoreEvent: (event) => events.push(event),
      ...options,
    });
  }

  /** What a promise settles to, after so much virtual time. */
  async run<T>(promise: Promise<T>, withinMs = 2_000): Promise<T> {
    promise.catch(() => undefined);
    await this.clock.advance(withinMs);
    return promise;
  }

  /** What a promise has settled to by then. */
  async fateOf<T>(promise: Promise<T>, withinMs = 0): Promise<T | Error | 'waits'> {
    const fate = promise.catch((error: Error) => error);
    await this.clock.advance(withinMs);
    return Promise.race([fate, this.clock.advance(0).then(() => 'waits' as const)]);
  }
}

/** Several processes with five callers each, which acquire tokens as fast as they get them. */
export class BusyFleet {
  readonly buckets: ValkeyBucket[];
  readonly grants: { atMs: number; grant: Grant; of: number }[] = [];
  readonly errors: unknown[] = [];
  readonly #clock: VirtualClock;
  #stop = new AbortController();

  constructor(world: StoreWorld, size: number, options: Partial<ValkeyBucketOptions> = {}) {
    this.#clock = world.clock;
    this.buckets = Array.from({ length: size }, () => world.bucket(options));
    this.buckets.forEach((bucket, of) => {
      for (let caller = 0; caller < 5; caller += 1) void this.#acquireForever(bucket, of);
    });
  }

  async #acquireForever(bucket: ValkeyBucket, of: number): Promise<void> {
    const { signal } = this.#stop;
    // The bound ends a loop with a bucket that grants everything.
    while (!signal.aborted && this.grants.length < 100_000) {
      try {
        this.grants.push({ grant: await bucket.acquire({ signal }), atMs: this.#clock.now(), of });
      } catch (error) {
        if (signal.aborted) return;
        this.errors.push(error);
        await new Promise((resolve) => this.#clock.schedule(() => resolve(undefined), 20));
      }
    }
  }

  /** How many grants there were in a window, of all processes or of one. */
  count(fromMs: number, toMs: number, of?: number): number {
    return this.grants.filter((g) => g.atMs >= fromMs && g.atMs < toMs && (of ?? g.of) === g.of).length;
  }

  get modes(): string[] {
    return this.buckets.map((bucket) => bucket.stats().mode);
  }

  async end(): Promise<void> {
    this.#stop.abort(new Error('done'));
    const closed = Promise.all(this.buckets.map((bucket) => bucket.close()));
    await this.#clock.advance(2_000);
    await closed;
  }

  /** The most that was ever granted beyond `capacity + rate · t`, over all windows of time. */
  get worst(): number {
    let least = Number.POSITIVE_INFINITY;
    let worst = Number.NEGATIVE_INFINITY;
    this.grants.forEach(({ atMs }, index) => {
      const level = index - (atMs * RATE) / 1_000;
      least = Math.min(least, level);
      worst = Math.max(worst, level - least + 1 - CAPACITY);
    });
    return worst;
  }
}
