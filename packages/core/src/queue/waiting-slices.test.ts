import { describe, expect, test } from 'vitest';
import { asked } from '../../test/asks.ts';
import { nextTurn } from '../base/clock.ts';
import type { TokenBucketOptions } from '../limits/bucket/options.ts';
import { type MemoryBucket, tokenBucket } from '../limits/bucket/token-bucket.ts';
import type { AcquireOptions } from '../policy/contracts.ts';
import { priorityQueue } from './order.ts';

/** The most in one turn of the event loop: a few milliseconds. */
const REFUSALS = 500;
const GRANTS = 100;
const MANY = 1_500;

/** A bucket of one token a second and ten at once, empty at first. */
function setUp(options: Partial<TokenBucketOptions> = {}) {
  const empty = { refillPerSecond: 1, capacity: 10, initialTokens: 0 };
  return asked((clock) => tokenBucket({ ...empty, clock, ...options }));
}

/** Advances by a millisecond, and counts at each wake how many requests leave the queue. */
function leavesPerTurn({ clock, bucket }: ReturnType<typeof setUp>): number[] {
  const counts: number[] = [];
  for (const untilMs = clock.now() + 1; (clock.nextAtMs ?? Infinity) < untilMs; ) {
    const before = bucket.stats().waiting;
    clock.tick((clock.nextAtMs as number) - clock.now());
    counts.push(before - bucket.stats().waiting);
  }
  return counts;
}

describe('work on a long queue is sliced', () => {
  test.each<
    [what: string, ask: (at: number) => AcquireOptions, act: (bucket: MemoryBucket) => void, reason: string]
  >([
    ['a pause', (at) => ({ maxWaitMs: 1e9 + at }), (bucket) => bucket.pauseFor(2e9), 'wait-too-long'],
    ['a lower capacity', () => ({ cost: 8 }), (bucket) => bucket.setRate(1, 5), 'capacity-lowered'],
    ['a close', () => ({}), (bucket) => void bucket.close(), 'closed'],
  ])('%s', async (_, askedFor, act, reason) => {
    const world = setUp();
    for (let asks = 0; asks < MANY; asks += 1) world.ask(asks, askedFor(asks));
    act(world.bucket);
    const atOnce = MANY - world.bucket.stats().waiting;
    expect(atOnce).toBeGreaterThan(0);
    expect(atOnce).toBeLessThanOrEqual(REFUSALS);
    const later = leavesPerTurn(world);
    expect(Math.max(...later)).toBeLessThanOrEqual(REFUSALS);
    expect(world.bucket.stats()).toMatchObject({ waiting: 0, refused: MANY });
    await world.clock.advance(0);
    expect(world.lines).toEqual(Array.from({ length: MANY }, (_, name) => `${name} ${reason} 0`));
    expect(world.clock.pending).toBe(0);
  });

  test('an abort of many', async () => {
    const world = setUp();
    const abort = new AbortController();
    for (let asks = 0; asks < MANY; asks += 1) world.ask(asks, { signal: abort.signal });
    world.ask('other');
    abort.abort({ reason: 'aborted' });
    // Reading the state of a bucket serves its queue.
    expect(world.bucket.stats().waiting).toBeGreaterThanOrEqual(MANY + 1 - 2 * REFUSALS);
    const later = leavesPerTurn(world);
    expect(Math.max(...later)).toBeLessThanOrEqual(REFUSALS + GRANTS);
    expect(world.bucket.stats()).toMatchObject({ waiting: 1, refused: 0 });
    await world.clock.advance(1_000);
    expect(world.lines).toEqual([
      ...Array.from({ length: MANY }, (_, name) => `${name} aborted 0`),
      'other 1000',
    ]);
    expect(world.clock.pending).toBe(0);
  });

  test('deadlines that pass together', async () => {
    const { clock, bucket, lines, ask } = setUp({ refillPerSecond: 1e6 });
    for (let asks = 0; asks < MANY; asks += 1) ask(asks, { maxWaitMs: 900 - (asks % 2) * 100 });
    ask('patient');
    bucket.setRate(1);
    clock.tick(800);
    expect(bucket.stats()).toMatchObject({ waiting: MANY + 1 - REFUSALS, granted: 0 });
    await clock.advance(1_000);
    const reasons = lines.map((line) => line.split(' ').slice(1).join(' '));
    expect(reasons).toEqual([
      ...Array(MANY / 2).fill('wait-too-long 800'),
      ...Array(MANY / 2).fill('wait-too-long 900'),
      '1000',
    ]);
    expect(clock.pending).toBe(0);
  });
});

describe('all slices end while a virtual clock stands still', () => {
  test.each<[what: string, act: (bucket: MemoryBucket, abort: AbortController) => void]>([
    ['of an abort', (_, abort) => abort.abort()],
    ['of a close', (bucket) => void bucket.close()],
    ['of a pause', (bucket) => bucket.pauseFor(2e9)],
  ])('%s', async (_, act) => {
    const { bucket } = setUp();
    const abort = new AbortController();
    const asks = Array.from({ length: 2 * MANY }, () =>
      bucket.acquire({ signal: abort.signal, maxWaitMs: 1e9 }),
    );
    const ends = Promise.allSettled(asks);
    act(bucket, abort);
    expect((await ends).every(({ status }) => status === 'rejected')).toBe(true);
    expect(bucket.stats().waiting).toBe(0);
  });
});

test('a turn refuses one slice, however often the queue was asked to before', async () => {
  const { bucket } = setUp();
  const asks = Array.from({ length: 3 * MANY }, () => bucket.acquire({ maxWaitMs: 1e9 }));
  const ends = Promise.allSettled(asks);
  for (const pausedMs of [2e9, 3e9, 4e9]) bucket.pauseFor(pausedMs);
  const before = bucket.stats().waiting;
  await nextTurn();
  expect(before - bucket.stats().waiting).toBeLessThanOrEqual(REFUSALS);
  await ends;
});

describe('a cost above a lowered capacity', () => {
  test('is refused at once, in any lane and behind any others', async () => {
    const { clock, bucket, lines, ask } = setUp({ queue: priorityQueue() });
    for (const priority of [-7, 0, 7]) {
      for (let asks = 0; asks < MANY; asks += 1) ask('small', { priority });
      ask(priority, { cost: 8, priority, retry: true });
      ask(`${priority} again`, { cost: 5.1, priority });
    }
    bucket.setRate(1, 5);
    await clock.advance(10);
    expect(lines.toSorted()).toEqual(
      ['-7', '-7 again', '0', '0 again', '7', '7 again']
        .map((name) => `${name} capacity-lowered 0`)
        .toSorted(),
    );
    expect(bucket.stats()).toMatchObject({ waiting: 3 * MANY, waitingCost: 3 * MANY });
  });
});
