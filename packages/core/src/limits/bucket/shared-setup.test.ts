import { describe, expect, test } from 'vitest';
import type { AcquireOptions } from '../../policy/contracts.ts';
import { virtualClock } from '../../testing.ts';
import type { ObservableBucket } from '../limit.ts';
import { adaptive } from './adaptive.ts';
import { bucketSetup, type TokenBucketOptions } from './options.ts';
import { quotaBucket } from './quota-bucket.ts';
import { sharedSetup } from './shared-setup.ts';
import { tokenBucket } from './token-bucket.ts';

const RATE = { refillPerSecond: 10, capacity: 5 };

describe('buckets with the same options', () => {
  const clock = virtualClock({ startMs: 0 });
  const shared = (options: Partial<TokenBucketOptions> = {}) =>
    sharedSetup(bucketSetup({ ...RATE, clock, ...options }));

  test('share them, whatever their rates', () => {
    expect(shared({ refillPerSecond: 3, capacity: 7, initialTokens: 1 })).toBe(shared());
    expect(shared().options).not.toHaveProperty('refillPerSecond');
  });

  test.each<Partial<TokenBucketOptions>>([
    { maxQueue: 3 },
    { maxWaitMs: 3 },
    { nonConforming: 'mark' },
    { feedback: false },
    { feedbackScope: 'bucket' },
    { maxPauseMs: 3 },
    { random: () => 0 },
  ])('do not share with %o', (other) => {
    expect(shared(other)).not.toBe(shared());
    expect(shared(other).options).toMatchObject(other);
  });

  test('are forgotten when there are too many others', () => {
    const own = virtualClock({ startMs: 0 });
    const sharedOn = (maxQueue?: number) => shared({ maxQueue, clock: own });
    const first = sharedOn();
    for (let maxQueue = 1; maxQueue <= 7; maxQueue += 1) sharedOn(maxQueue);
    expect(sharedOn()).toBe(first);
    for (let maxQueue = 8; maxQueue <= 15; maxQueue += 1) sharedOn(maxQueue);
    expect(sharedOn()).not.toBe(first);
  });

  test('share nothing with those of another clock', () => {
    expect(shared({ clock: virtualClock({ startMs: 0 }) }).time).not.toBe(shared().time);
  });
});

describe('a bucket that is made late', () => {
  const first = { ...RATE, initialTokens: 1 };
  type Make = (clock: TokenBucketOptions['clock']) => ObservableBucket;

  test.each<[string, Make]>([
    ['tokenBucket', (clock) => tokenBucket({ ...first, clock })],
    ['quotaBucket', (clock) => quotaBucket({ limits: { unit: first }, clock })],
    ['adaptive', (clock) => adaptive({ ...first, clock })],
  ])('%s begins with its first tokens, not with those of the time before', async (_, make) => {
    const clock = virtualClock({ startMs: 0 });
    make(clock);
    await clock.advance(10_000);
    expect(make(clock).stats().tokens).toBe(1);
  });
});

describe('a bucket without a queue yet', () => {
  const aborted = AbortSignal.abort(new Error('stop'));
  const wrong: [string, AcquireOptions][] = [
    ['a cost of 0', { cost: 0 }],
    ['a cost above the capacity', { cost: 6 }],
    ['a wait below 0', { maxWaitMs: -1 }],
    ['a retry that is no flag', { retry: 1 as never }],
    ['a priority', { priority: 1 }],
    ['a key', { fairKey: 'a' }],
    ['an aborted signal', { signal: aborted }],
  ];

  test.each(wrong)('refuses %s as one with a queue does, and takes nothing', async (_, options) => {
    const clock = virtualClock({ startMs: 0 });
    const [fresh, used] = [tokenBucket({ ...RATE, clock }), tokenBucket({ ...RATE, clock })];
    await used.acquire({ cost: 5 });
    const waiting = used.acquire();
    await clock.advance(1_000);
    await waiting;
    const [one, other] = await Promise.all(
      [fresh, used].map((bucket) => bucket.acquire(options).catch((error: unknown) => error)),
    );
    expect(one).toBeInstanceOf(Error);
    expect(one).toEqual(other);
    expect(fresh.stats()).toMatchObject({ tokens: 5, granted: 0, waiting: 0, waitingCost: 0, refused: 0 });
  });
});
