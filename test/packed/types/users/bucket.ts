import { createPolicy, type ObservableBucket, type TokenBucketOptions } from '@ebb/core';
import { bucketSetup, gcra, type Quota, type TokenSource, WaitingBucket } from '@ebb/core/bucket';

// A bucket with its own token source.
class Tokens implements TokenSource<number> {
  held = 0;
  readonly capacity: number;
  readonly refillPerSecond: number;
  readonly #quota: Quota;

  constructor(quota: Quota) {
    this.#quota = quota;
    this.capacity = quota.capacity;
    this.refillPerSecond = quota.refillPerSecond;
  }
  take(cost: number, nowMs: number): boolean {
    const after = gcra.take(this.#quota, this.held, cost, nowMs);
    this.held = after ?? this.held;
    return after !== undefined;
  }
  waitMs(cost: number, nowMs: number): number {
    return gcra.waitMs(this.#quota, this.held, cost, nowMs);
  }
  dueMs(firstCost: number, nowMs: number): number {
    return nowMs + this.waitMs(firstCost, nowMs);
  }
  settle(_surplus: number, _held: number, _nowMs: number): void {}
  pause(_untilMs: number, _nowMs: number): void {}
  resume(_nowMs: number): void {}
  pausedMs(_nowMs: number): number {
    return 0;
  }
  tokens(nowMs: number): number {
    return gcra.tokensAt(this.#quota, this.held, nowMs);
  }
  isIdle(nowMs: number): boolean {
    return this.tokens(nowMs) >= this.capacity;
  }
}

class Bucket extends WaitingBucket<Tokens> {
  constructor(options: TokenBucketOptions) {
    const setup = bucketSetup(options);
    super(setup, () => new Tokens(setup));
  }
}

export const bucket: ObservableBucket = new Bucket({ refillPerSecond: 10 });
export const policy = createPolicy({ bucket });

// @ts-expect-error: no rate
bucketSetup({ capacity: 1 });
// @ts-expect-error: no methods
export const source: TokenSource = { capacity: 1, refillPerSecond: 1 };
