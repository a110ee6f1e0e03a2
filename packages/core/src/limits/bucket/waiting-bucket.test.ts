import { describe, expect, test, vi } from 'vitest';
import { responds, to } from '../../../test/asks.ts';
import { nextTurn } from '../../base/clock.ts';
import type { Grant } from '../../policy/contracts.ts';
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

  constructor(onChange: () => void, more: Partial<TokenSource<undefined>> = {}) {
    this.onChange = onChange;
    onChange();
    for (const [name, value] of Object.entries(more))
      Object.defineProperty(this, name, { value, writable: true });
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

  constructor(nonConforming: NonConforming = 'delay', more?: Partial<TokenSource<undefined>>) {
    const clock = virtualClock({ startMs: 0 });
    const setup = bucketSetup({ refillPerSecond: 1, capacity: 5, nonConforming, clock });
    super(setup, (_time, _queue, onChange) => new Box(onChange, more));
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

  test('marks what is granted at once only if it is known that tokens lack', () => {
    expect(new BoxBucket('mark').tryAcquire()).toBeUndefined();
    expect(new BoxBucket('mark', { waitMs: () => 1 }).tryAcquire()).toMatchObject({ conforming: false });
  });

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

describe('what a source may tell, or be told', () => {
  const all: readonly NonConforming[] = ['delay', 'mark', 'reject'];
  const lacks = { waitMs: () => 700 };

  test.each(all)('that no tokens can be had at all: %s', async (nonConforming) => {
    const cause = new Error('down');
    const unavailable = { message: 'the store is down', cause };
    const bucket = new BoxBucket(nonConforming, { ...lacks, unavailable });
    expect(bucket.tryAcquire()).toBeUndefined();
    await expect(bucket.acquire()).rejects.toMatchObject({
      ...{ reason: 'unavailable', message: 'Not sent: the store is down', cause },
    });
    expect(bucket.stats()).toMatchObject({ refused: 1, marked: 0, waiting: 0 });
    // Those that are there are given away.
    bucket.box.left = 1;
    expect(await bucket.acquire()).toMatchObject({ conforming: true });
  });

  test('that it is too late for a request, which is refused before its deadline', async () => {
    const isTooLate = vi.fn(() => true);
    const refusedFor = vi.fn();
    const bucket = new BoxBucket('delay', { isTooLate, refusedFor });
    const waiting = bucket.acquire({ maxWaitMs: 100 });
    await expect(waiting).rejects.toMatchObject({ reason: 'wait-too-long', waitMs: 0 });
    // Not without a deadline: the request is not in the queue yet.
    expect(isTooLate.mock.calls).toEqual([[1, 100, 0]]);
    expect(refusedFor.mock.calls).toEqual([[0, 0]]);
    expect(bucket.clock.elapsedMs).toBe(0);
  });

  test.each<[story: string, nonConforming: NonConforming, isLate: boolean]>([
    ['it is not too late', 'delay', false],
    ['requests do not wait for tokens as a rule', 'mark', true],
    ['requests do not wait for tokens as a rule', 'reject', true],
  ])('a request waits if %s: %s', async (_, nonConforming, isLate) => {
    const bucket = new BoxBucket(nonConforming, { isTooLate: () => isLate });
    const waiting = bucket.acquire({ maxWaitMs: 100 });
    await nextTurn();
    expect(bucket.stats()).toMatchObject({ waiting: 1, refused: 0 });
    bucket.box.put(1);
    expect(await waiting).toMatchObject({ conforming: true });
  });

  test('a source that tells when it is too late need not be told of the refusal', async () => {
    const bucket = new BoxBucket('delay', { isTooLate: () => true });
    await expect(bucket.acquire()).rejects.toMatchObject({ reason: 'wait-too-long' });
  });

  test.each<[nonConforming: NonConforming, isRefused: boolean]>([
    ['mark', false],
    ['reject', true],
  ])('for how long the tokens of a request lack that is refused: %s', async (nonConforming, isRefused) => {
    const refusedFor = vi.fn();
    const bucket = new BoxBucket(nonConforming, { ...lacks, refusedFor });
    const asked = settled([bucket.acquire()]);
    expect(await asked).toMatchObject([
      isRefused ? { reason: { reason: 'not-conforming', waitMs: 700 } } : { value: { conforming: false } },
    ]);
    expect(refusedFor.mock.calls).toEqual(isRefused ? [[700, 0]] : []);
  });

  test('that `tryAcquire` found none, unless others wait for them, or the bucket is closed', async () => {
    const missed = vi.fn();
    const bucket = new BoxBucket('delay', { missed });
    bucket.box.left = 2;
    bucket.clock.tick(5);
    expect([bucket.tryAcquire(2)?.cost, missed.mock.calls]).toEqual([2, []]);
    expect([bucket.tryAcquire(2), missed.mock.calls]).toEqual([undefined, [[2, 5]]]);
    const waiting = settled([bucket.acquire()]);
    bucket.tryAcquire();
    await bucket.close();
    await waiting;
    bucket.tryAcquire();
    expect(missed).toHaveBeenCalledTimes(1);
  });

  test('which unit lacked, for a grant that was waited for', async () => {
    const grants = async (lacking?: string) => {
      const bucket = new BoxBucket('delay', { lacking });
      bucket.box.left = 1;
      const atOnce = await bucket.acquire();
      const waiting = bucket.acquire();
      bucket.clock.tick(5);
      bucket.box.put(1);
      return [atOnce, await waiting].map((grant) => 'unit' in grant && grant.unit);
    };
    expect([await grants('tokens'), await grants()]).toEqual([
      [false, 'tokens'],
      [false, false],
    ]);
  });

  test('nothing of answers, pauses and its end', async () => {
    const bucket = new BoxBucket('delay', { close: undefined as never });
    bucket.box.put(3);
    const grant = bucket.tryAcquire();
    bucket.atMost(1);
    bucket.atMost(1, grant);
    const resume = vi.spyOn(bucket.box, 'resume');
    bucket.resume();
    await bucket.close();
    expect([bucket.stats().tokens, resume.mock.calls]).toEqual([2, []]);
  });
});

describe('a bucket is idle', () => {
  const idleOf = (bucket: BoxBucket): boolean => bucket.stats().idle;
  const full = (more?: Partial<TokenSource<undefined>>) =>
    new BoxBucket('delay', { isIdle: () => true, ...more });

  test('if its source is, unless requests wait, it is paused, or it is closed', async () => {
    const bucket = full();
    expect([idleOf(bucket), idleOf(new BoxBucket()), idleOf(full({ pausedMs: () => 1 }))]).toEqual([
      ...[true, false, false],
    ]);
    const waiting = settled([bucket.acquire()]);
    expect(idleOf(bucket)).toBe(false);
    await bucket.close();
    await waiting;
    expect(idleOf(bucket)).toBe(false);
  });

  test('once an origin with a pause is full again, also if the capacity changed meanwhile', () => {
    const bucket = full();
    const { clock, box } = bucket;
    box.left = 1;
    const grant = bucket.tryAcquire() as Grant;
    bucket.observe(responds(503, { 'retry-after': '2' }), grant, to('https://ill.test/'));
    bucket.lowerCapacity(3);
    expect(idleOf(bucket)).toBe(false);
    // The pause is over, with its jitter.
    clock.tick(2_400);
    expect([bucket.stats().pausedMs, idleOf(bucket)]).toEqual([0, false]);
    clock.tick(3_000);
    expect(idleOf(bucket)).toBe(true);
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
