import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { NotSentError } from '../../base/errors.ts';
import { virtualClock } from '../../testing.ts';
import { stateWith, stepsToWait } from './gcra.ts';
import { Level } from './level.ts';
import { tokenBucket } from './token-bucket.ts';

const DAY_MS = 86_400_000;

/** A level without tokens, which fills in steps. */
const empty = (refillPerSecond: number, capacity: number, refillIntervalMs: number) =>
  new Level({ refillPerSecond, capacity, refillIntervalMs, initialTokens: 0 });

describe('steps of the refill', () => {
  test('bring exactly their tokens, however often the rate changes and however long it takes', () => {
    const intervals = fc.constantFrom(200, 0.1, 1_000 / 3, 7.3, 60_000);
    const change = fc.record({
      passMs: fc.oneof(fc.nat(1_000), fc.constantFrom(DAY_MS, 30 * DAY_MS)),
      refillPerSecond: fc.oneof(
        fc.constantFrom(100_000, 1e9, 1e-3),
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
      ),
    });
    fc.assert(
      fc.property(
        intervals,
        fc.array(change, { maxLength: 20 }),
        fc.constantFrom(1, 3, 10),
        (intervalMs, changes, perStep) => {
          const refillPerSecond = (perStep * 1_000) / intervalMs;
          const level = empty(refillPerSecond, 10, intervalMs);
          let nowMs = 0;
          for (const one of changes) {
            nowMs += one.passMs;
            level.setRate({ refillPerSecond: one.refillPerSecond, capacity: 10 }, nowMs);
          }
          // Half way between two steps, so that rounding does not matter.
          let step = Math.ceil(nowMs / intervalMs) + 1;
          level.setRate({ refillPerSecond, capacity: 10 }, (step + 0.5) * intervalMs);
          while (level.take(1, (step + 0.5) * intervalMs));
          for (let passed = 0; passed < 50; passed += 1) {
            step += 1;
            for (let taken = 0; taken < perStep; taken += 1) {
              expect(level.take(1, (step + 0.5) * intervalMs)).toBe(true);
            }
            expect(level.take(1, (step + 0.5) * intervalMs)).toBe(false);
            expect(level.waitMs(1, (step + 0.5) * intervalMs) / intervalMs).toBeCloseTo(0.5, 3);
          }
        },
      ),
      { numRuns: runs(200), endOnFailure: true },
    );
  });

  test('keep their times, however often the rate changes', () => {
    const intervalMs = 1_000 / 3;
    const level = empty(3, 10, intervalMs);
    for (let step = 1; step <= 100_000; step += 1) {
      level.setRate({ refillPerSecond: 3 + (step % 2), capacity: 10 }, step * intervalMs);
    }
    const nowMs = 100_000.5 * intervalMs;
    while (level.take(1, nowMs));
    expect(level.waitMs(1, nowMs) / intervalMs).toBeCloseTo(0.5, 6);
  });
});

describe('steps that exceed the capacity', () => {
  /** Five at once, ten in each second. */
  function setUp(refillIntervalMs = 1_000) {
    const clock = virtualClock({ startMs: 0 });
    const bucket = tokenBucket({
      refillPerSecond: 10,
      capacity: 5,
      initialTokens: 0,
      refillIntervalMs,
      clock,
    });
    return { clock, bucket };
  }

  test('give the capacity each, and waits are computed from that', () => {
    const { bucket } = setUp();
    expect([5, 6, 10, 11].map((tokens) => bucket.waitMs(tokens))).toEqual([1_000, 2_000, 2_000, 3_000]);
  });

  test('a wait of more steps than maxWaitMs allows is refused at once', async () => {
    const { bucket, clock } = setUp();
    for (let asked = 0; asked < 10; asked += 1) void bucket.acquire();
    const refused = bucket.acquire({ maxWaitMs: 2_500 });
    expect(bucket.stats()).toMatchObject({ waiting: 10, refused: 1 });
    await expect(refused).rejects.toMatchObject({ reason: 'wait-too-long', waitMs: 3_000 });
    const last = bucket.acquire({ maxWaitMs: 3_000 });
    await clock.advance(3_000);
    expect((await last).waitedMs).toBe(3_000);
  });

  test('a request for one token is refused at once, or granted in time', async () => {
    const trace = fc.record({
      capacity: fc.integer({ min: 1, max: 6 }),
      refillPerSecond: fc.integer({ min: 1, max: 100 }),
      refillIntervalMs: fc.constantFrom(200, 1_000, 1_000 / 3),
      debt: fc.nat(30),
      ahead: fc.nat(40),
      startMs: fc.nat(3_000),
      maxWaitMs: fc.nat(10_000),
    });
    await fc.assert(
      fc.asyncProperty(trace, async ({ debt, ahead, startMs, maxWaitMs, ...options }) => {
        const { capacity, refillPerSecond, refillIntervalMs } = options;
        // The rest in the bucket and the tokens of a step must fit together.
        fc.pre(refillPerSecond * refillIntervalMs >= capacity * 1_000);
        const clock = virtualClock({ startMs: 0 });
        const bucket = tokenBucket({ ...options, clock });
        bucket.tryAcquire(capacity)?.settle(capacity + debt);
        clock.tick(startMs);
        for (let asked = 0; asked < ahead; asked += 1) void bucket.acquire();
        const asked = bucket.acquire({ maxWaitMs });
        const atOnce = bucket.stats().refused > 0;
        const fate = asked.catch((error: unknown) => error);
        clock.tick(1e9);
        const granted = await fate;
        expect(granted instanceof NotSentError).toBe(atOnce);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

// A capacity of 5, one token in 100 ms.
test.each<[cost: number, tokens: number, everyMs: number, steps: number]>([
  [1, 1, 200, 0],
  [1, 0, 200, 1],
  [3, 0, 200, 2],
  [5, 2.5, 200, 2],
  // More than the capacity: for several requests in a row.
  [10, 5, 200, 3],
  [11, 5, 200, 3],
  [12, 5, 200, 4],
  // A step brings ten, of which five fit.
  [5, 0, 1_000, 1],
  [10, 0, 1_000, 2],
  [11, 0, 1_000, 3],
  [11, 5, 1_000, 2],
  [11, 1, 1_000, 2],
  // Tokens that pay a debt do not overflow.
  [5, -5, 1_000, 1],
  [5, -6, 1_000, 2],
  [5, -10, 1_000, 2],
  [4, -16, 1_000, 2],
  [5, -16, 1_000, 3],
  [3, -4, 200, 4],
])(
  '%d tokens are there, of %d now and with steps of 100 ms times %d, in %d steps',
  (cost, tokens, everyMs, steps) => {
    const limits = { refillPerSecond: 10, capacity: 5 };
    expect(stepsToWait(limits, stateWith(limits, tokens, 0), cost, 0, everyMs)).toBe(steps);
  },
);

describe('the two examples of App Engine: 500 a second, refilled every 200 ms', () => {
  test.each([
    [500, [500, 100, 100, 100, 100]],
    [100, [100, 100, 100, 100, 100]],
  ])('a limit of %d grants so many at each step: %j', (capacity, starts) => {
    const limit = new Level({
      refillPerSecond: 500,
      capacity,
      refillIntervalMs: 200,
      initialTokens: capacity,
    });
    const started = [0, 0, 0, 0, 0];
    for (let atMs = 0; atMs < 1_000; atMs += 1) {
      while (limit.take(1, atMs)) {
        started[Math.floor(atMs / 200)] = (started[Math.floor(atMs / 200)] ?? 0) + 1;
        // All tokens of a step are taken at the step.
        expect(atMs % 200).toBe(0);
      }
    }
    expect(started).toEqual(starts);
  });
});

test.each([
  [0, 200],
  [199, 1],
  [200, 0],
  [201, 0],
])('at %d ms the next step of an empty limit is %d ms away', (atMs, wait) => {
  const limit = empty(500, 100, 200);
  expect(limit.waitMs(100, atMs)).toBeCloseTo(wait, 9);
});
