import {
  type Ask,
  type BucketStats,
  type Grant,
  type ObservableBucket,
  onAbort,
  ThrottledError,
  tokenBucket,
} from '@ebb/core';
import type { FleetSetup } from './options.ts';

function closedError(): ThrottledError {
  return new ThrottledError('Not sent: the bucket was closed', undefined, { reason: 'unavailable' });
}

/**
 * A bucket of this process that stands in front of the shared one for an origin that asked to be left alone. Those
 * who wait at it are turned away when the shared bucket is closed: it could be minutes until it opens.
 */
export class Gate implements ObservableBucket {
  readonly #bucket: ObservableBucket;
  readonly #closed: AbortSignal;

  /** @param closed aborts when the shared bucket is closed */
  constructor(setup: FleetSetup, closed: AbortSignal) {
    const { refillPerSecond, capacity, nonConforming, clock } = setup;
    const { maxQueue, overflow, maxWaitMs, agingMs } = setup;
    this.#closed = closed;
    this.#bucket = tokenBucket({
      ...{ refillPerSecond, capacity, initialTokens: 0, nonConforming, clock, feedback: false },
      ...(maxQueue !== Number.POSITIVE_INFINITY && { maxQueue }),
      ...(maxWaitMs !== Number.POSITIVE_INFINITY && { maxWaitMs }),
      ...{ overflow, agingMs },
    });
  }

  tryAcquire(cost?: number): boolean {
    return this.#bucket.tryAcquire(cost);
  }

  tryTake(cost?: number): Grant | undefined {
    return this.#bucket.tryTake(cost);
  }

  async acquire(ask: Ask = {}): Promise<Grant> {
    const { signal } = ask;
    const wait = new AbortController();
    const abort = (): void => wait.abort(signal?.reason);
    const close = (): void => wait.abort(closedError());
    if (signal?.aborted) abort();
    else if (this.#closed.aborted) close();
    const callOff = [signal && onAbort(signal, abort), onAbort(this.#closed, close)];
    try {
      return await this.#bucket.acquire({ ...ask, signal: wait.signal });
    } finally {
      for (const off of callOff) off?.();
    }
  }

  pauseFor(durationMs: number): void {
    this.#bucket.pauseFor(durationMs);
  }

  stats(): BucketStats {
    return this.#bucket.stats();
  }
}
