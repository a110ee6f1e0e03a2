import { describe, expect, test } from 'vitest';
import type { RequestTraits } from '../../http/outcome.ts';
import { Call } from '../../loop/call.ts';
import type {
  AcquireOptions,
  CloseOptions,
  ConcurrencyLimit,
  ObservableBucket,
  PerKey,
} from '../../loop/contracts.ts';
import { judge } from '../../loop/judge.ts';
import { createPolicy } from '../../loop/policy.ts';
import { prepare } from '../../loop/prepare.ts';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import { type MemoryBucket, tokenBucket } from '../bucket/token-bucket.ts';
import { concurrencyLimit } from '../concurrency/concurrency.ts';
import { ownBucket } from '../own.ts';
import { perKey } from './per-key.ts';

const collectGarbage = globalThis.gc as () => void;

function to(host: string): RequestTraits {
  return { url: `https://${host}.test/`, method: 'GET', replayable: true, header: () => undefined };
}

const held = to('held');

/** Evicts the value of `held`: time passes, and other keys are used. */
function evict(per: PerKey<unknown>, clock: VirtualClock): void {
  per.for(to('other'));
  clock.tick(100_000);
  for (let visit = 0; visit < 4; visit += 1) per.for(to('other'));
  expect(per.size).toBe(1);
}

/** Collects garbage. References that were dereferenced live until the end of their turn. */
async function forget(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
}

function setUp() {
  const clock = virtualClock({ startMs: 0 });
  const options = { refillPerSecond: 1, capacity: 5, clock };
  const per = perKey(() => tokenBucket(options), { clock, idleMs: 60_000 });
  return { clock, per };
}

function setUpLimits() {
  const clock = virtualClock({ startMs: 0 });
  const per = perKey(() => concurrencyLimit({ maxConcurrent: 2, clock }), { clock, idleMs: 60_000 });
  return { clock, per };
}

describe('an evicted value that is still held is found again for its key', () => {
  test('a bucket', () => {
    const { clock, per } = setUp();
    const bucket = per.for(held);
    evict(per, clock);
    expect(bucket.tryAcquire(5)).toBeDefined();
    expect(per.for(held)).toBe(bucket);
    expect(per.for(held).tryAcquire()).toBeUndefined();
  });

  test('a bucket of another class, made by a function', () => {
    const clock = virtualClock({ startMs: 0 });
    const make = (): ObservableBucket => {
      const bucket = tokenBucket({ refillPerSecond: 1, clock });
      return ownBucket({
        tryAcquire: (cost?: number) => bucket.tryAcquire(cost),
        acquire: (ask?: AcquireOptions) => bucket.acquire(ask),
        pauseFor: (durationMs: number) => bucket.pauseFor(durationMs),
        resume: () => bucket.resume(),
        idle: () => bucket.idle(),
        close: (options?: CloseOptions) => bucket.close(options),
        stats: () => bucket.stats(),
      });
    };
    const per = perKey(make, { clock });
    const bucket = per.for(held);
    evict(per, clock);
    expect(per.for(held)).toBe(bucket);
  });

  test('a limit: three slots of two are never granted', () => {
    const { clock, per } = setUpLimits();
    const limit = per.for(held);
    evict(per, clock);
    expect([limit.tryAcquire(), limit.tryAcquire()]).not.toContain(undefined);
    expect(per.for(held).tryAcquire()).toBeUndefined();
  });

  test('evicted to make room for another key', () => {
    const clock = virtualClock({ startMs: 0 });
    const per = perKey(() => tokenBucket({ refillPerSecond: 1, clock }), { clock, maxKeys: 1 });
    const bucket = per.for(held);
    per.for(to('other'));
    expect(per.for(held)).toBe(bucket);
  });
});

type Change = (bucket: MemoryBucket) => unknown;

describe('an evicted value that is used stays, even if nothing refers to it afterwards', () => {
  /** In a function of its own, so that nothing is left on the stack. */
  async function changed(change: Change): Promise<MemoryBucket> {
    const { clock, per } = setUp();
    await (async () => {
      const bucket = per.for(held);
      evict(per, clock);
      await change(bucket);
    })();
    await forget();
    return per.for(held);
  }

  test.each<[what: string, change: Change, tokens: number]>([
    ['tryAcquire', (bucket) => bucket.tryAcquire(3), 2],
    ['acquire', (bucket) => bucket.acquire({ cost: 3 }), 2],
    ['a rate', (bucket) => bucket.setRate(1, 2), 2],
  ])('%s', async (_, change, tokens) => {
    expect((await changed(change)).stats().tokens).toBe(tokens);
  });

  test('pauseFor', async () => {
    expect((await changed((bucket) => bucket.pauseFor(30_000))).stats().pausedMs).toBe(30_000);
  });

  test('a limit whose slot is in use', async () => {
    const { clock, per } = setUpLimits();
    const slots = await (async (): Promise<unknown> => {
      const limit = per.for(held);
      evict(per, clock);
      return [limit.tryAcquire(), await limit.acquire()];
    })();
    await forget();
    expect(per.for(held).stats().inUse).toBe(2);
    expect(slots).toHaveLength(2);
  });

  test('an evicted value that is not used is made anew', async () => {
    let made = 0;
    const clock = virtualClock({ startMs: 0 });
    const per = perKey(
      () => {
        made += 1;
        return tokenBucket({ refillPerSecond: 1, clock });
      },
      { clock },
    );
    per.for(held);
    evict(per, clock);
    await forget();
    per.for(held);
    expect(made).toBe(3);
  });
});

test('a grant that is settled for more counts after its bucket was evicted', async () => {
  const { clock, per } = setUp();
  const grant = per.for(held).tryAcquire(1);
  evict(per, clock);
  await forget();
  grant?.settle(11);
  expect(per.for(held).stats().tokens).toBe(-5);
});

test('a returned grant does not bring the bucket back: it is full', () => {
  const { clock, per } = setUp();
  const grant = per.for(held).tryAcquire(1);
  evict(per, clock);
  grant?.settle(0);
  expect(per.size).toBe(1);
  expect(per.for(held).stats().tokens).toBe(5);
});

describe('a request takes longer than idleMs, and then', () => {
  async function answered(feedbackScope: 'origin' | 'bucket') {
    const clock = virtualClock({ startMs: 0 });
    const bucket = perKey(
      () => tokenBucket({ refillPerSecond: 1, capacity: 5, clock, feedbackScope, random: () => 0 }),
      { clock, idleMs: 60_000 },
    );
    const policy = createPolicy({ bucket, clock, maxRetries: 0 });
    await (async () => {
      const session = new Call(policy, held);
      await prepare(session);
      evict(bucket, clock);
      const header = (name: string) => (name === 'retry-after' ? '30' : undefined);
      judge(session, { type: 'response', status: 429, header });
    })();
    await forget();
    return { clock, bucket };
  }

  test.each(['origin', 'bucket'] as const)(
    'the pause that the server asks for applies: %s',
    async (scope) => {
      const { clock, bucket } = await answered(scope);
      expect(bucket.for(held).stats().pausedMs).toBe(30_000);
      const session = new Call(createPolicy({ bucket, clock, maxWaitMs: 1_000 }), held);
      await expect(prepare(session)).rejects.toMatchObject({ name: 'ThrottledError' });
    },
  );
});

test('a limit with a queue stays, and grants its slot', async () => {
  const { clock, per } = setUpLimits();
  const limit: ConcurrencyLimit = per.for(held);
  evict(per, clock);
  const slots = [limit.tryAcquire(), limit.tryAcquire()];
  const waiting = limit.acquire();
  clock.tick(100_000);
  for (let visit = 0; visit < 6; visit += 1) per.for(to('other'));
  slots[0]?.release();
  await waiting;
  expect(per.for(held).stats()).toMatchObject({ inUse: 2, waiting: 0 });
});
