import { describe, expect, test, vi } from 'vitest';
import { nextTurn } from '../../base/clock.ts';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import { bucketSetup, type NonConforming } from './options.ts';
import type { TokenSource } from './token-source.ts';
import { WaitingBucket } from './waiting-bucket.ts';

/** A source whose tokens come when a test puts them in. */
class Box implements TokenSource<undefined> {
  capacity = 5;
  readonly refillPerSecond = 1;
  readonly held = undefined;
  left = 0;
  readonly onChange: () => void;
  /** Called by `take` and by `dueMs`. */
  inCall = (): void => undefined;
  readonly settle = vi.fn((surplus: number) => {
    this.left += surplus;
  });
  readonly pause = vi.fn();
  readonly close = vi.fn(async () => undefined);

  constructor(onChange: () => void) {
    this.onChange = onChange;
    onChange();
  }

  put(tokens: number): void {
    this.left += tokens;
    this.onChange();
  }

  take(cost: number): boolean {
    this.inCall();
    if (cost > this.left) return false;
    this.left -= cost;
    return true;
  }

  waitMs(): number {
    return 0;
  }

  dueMs(): number {
    this.inCall();
    return Number.POSITIVE_INFINITY;
  }

  resume(): void {}

  pausedMs(): number {
    return 0;
  }

  tokens(): number {
    return this.left;
  }

  isIdle(): boolean {
    return this.left === this.capacity;
  }
}

class BoxBucket extends WaitingBucket<Box> {
  readonly box: Box;
  readonly clock: VirtualClock;

  constructor(nonConforming: NonConforming = 'delay') {
    const clock = virtualClock({ startMs: 0 });
    const setup = bucketSetup({ refillPerSecond: 1, capacity: 5, nonConforming, clock });
    super(setup, (_time, _queue, onChange) => new Box(onChange));
    this.box = this.source;
    this.clock = clock;
  }

  lowerCapacity(capacity: number): void {
    this.source.capacity = capacity;
    this.capacityChanged();
  }
}

const settled = (promises: readonly Promise<unknown>[]) => Promise.allSettled(promises);

describe('a bucket with a source of its own', () => {
  test('grants waiting requests when the source has tokens', async () => {
    const bucket = new BoxBucket();
    const waiting = [bucket.acquire({ cost: 2 }), bucket.acquire()];
    bucket.box.put(2);
    expect(await waiting[0]).toMatchObject({ cost: 2, conforming: true });
    expect(bucket.stats()).toMatchObject({ tokens: 0, waiting: 1, waitingCost: 1, granted: 1 });
    bucket.box.put(1);
    expect(await waiting[1]).toMatchObject({ cost: 1, conforming: true });
  });

  test('settles a grant of which the source needs to know nothing', async () => {
    const bucket = new BoxBucket();
    bucket.box.put(5);
    const grant = bucket.tryAcquire(3);
    grant?.settle(1);
    grant?.settle(0);
    expect(bucket.box.settle.mock.calls).toEqual([[2, undefined, 0]]);
  });

  test('refuses requests that cost more than a lowered capacity', async () => {
    const bucket = new BoxBucket();
    const waiting = [bucket.acquire({ cost: 4 }), bucket.acquire({ cost: 2 })];
    bucket.lowerCapacity(3);
    await expect(waiting[0]).rejects.toMatchObject({ reason: 'capacity-lowered' });
    bucket.box.put(2);
    expect(await waiting[1]).toMatchObject({ cost: 2 });
  });

  test.each<NonConforming>(['mark', 'reject'])(
    '%s applies only if it is known that tokens lack',
    async (non) => {
      const bucket = new BoxBucket(non);
      const waiting = bucket.acquire();
      expect(bucket.stats()).toMatchObject({ waiting: 1, marked: 0, refused: 0 });
      bucket.box.put(1);
      expect(await waiting).toMatchObject({ conforming: true });
    },
  );

  test('does not pause the source for no time', () => {
    const bucket = new BoxBucket();
    bucket.pauseFor(0);
    expect(bucket.box.pause).not.toHaveBeenCalled();
    bucket.pauseFor(10);
    expect(bucket.box.pause.mock.calls).toEqual([[10, 0]]);
  });

  test('closes the source once', async () => {
    const bucket = new BoxBucket();
    const waiting = settled([bucket.acquire()]);
    await Promise.all([bucket.close({ waiting: 'drain' }), bucket.close(), bucket.close()]);
    expect(bucket.box.close).toHaveBeenCalledTimes(1);
    expect(await waiting).toMatchObject([{ reason: { reason: 'closed' } }]);
  });
});

describe('a source may report a change at any time', () => {
  test('within its own calls: each request gets one grant', async () => {
    const bucket = new BoxBucket();
    const waiting = [bucket.acquire(), bucket.acquire()];
    await nextTurn();
    bucket.box.inCall = () => {
      bucket.box.inCall = () => undefined;
      bucket.box.onChange();
    };
    bucket.box.put(3);
    expect(await Promise.all(waiting)).toHaveLength(2);
    expect(bucket.stats()).toMatchObject({ granted: 2, waiting: 0, tokens: 1 });
  });

  test('many times in a turn: the queue is served once', async () => {
    const bucket = new BoxBucket();
    await nextTurn();
    const waiting = bucket.acquire();
    const take = vi.spyOn(bucket.box, 'take');
    for (let times = 0; times < 10; times += 1) bucket.box.onChange();
    await nextTurn();
    expect(take).toHaveBeenCalledTimes(1);
    bucket.box.put(1);
    await waiting;
  });
});

describe('a source that throws', () => {
  const error = new Error('broken');
  const breakOnce = (box: Box): void => {
    box.inCall = () => {
      box.inCall = () => undefined;
      throw error;
    };
  };

  test('fails the request that waits for it, and the others get their tokens', async () => {
    const bucket = new BoxBucket();
    const waiting = settled([bucket.acquire(), bucket.acquire()]);
    await nextTurn();
    breakOnce(bucket.box);
    bucket.box.put(1);
    expect(await waiting).toMatchObject([{ reason: error }, { value: { cost: 1 } }]);
    expect(bucket.stats()).toMatchObject({ waiting: 0, granted: 1 });
  });

  test('fails the request that asks', async () => {
    const bucket = new BoxBucket();
    breakOnce(bucket.box);
    await expect(bucket.acquire()).rejects.toBe(error);
    breakOnce(bucket.box);
    expect(() => bucket.tryAcquire()).toThrow(error);
    bucket.box.put(1);
    expect(bucket.tryAcquire()).toMatchObject({ cost: 1 });
  });
});

test('a long queue for which there are tokens goes on without another change of the source', async () => {
  const bucket = new BoxBucket();
  const granted = Promise.all(Array.from({ length: 5_000 }, () => bucket.acquire()));
  bucket.box.put(5_000);
  await bucket.clock.advance(1);
  expect(bucket.stats()).toMatchObject({ waiting: 0, granted: 5_000 });
  await granted;
});
