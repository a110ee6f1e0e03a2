import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { virtualClock } from '../../testing.ts';
import { bucketSetup } from './options.ts';
import { OriginPauses } from './origin-pauses.ts';
import { type Bucket, bucketWithPauses } from './token-bucket.ts';

const RATE = { refillPerSecond: 10, capacity: 1 };
const at = (host: number) => ({
  method: 'GET',
  url: `https://h${host}.test/`,
  replayable: true,
  header: () => undefined,
});

function setUp(most?: number) {
  const clock = virtualClock({ startMs: 0 });
  const setup = bucketSetup({ ...RATE, clock });
  const make = (): Bucket => bucketWithPauses(setup, RATE);
  const gates = new OriginPauses<Bucket>(make, most);
  const pause = (host: number, ms: number): void => gates.of(`https://h${host}.test`).pauseFor(ms);
  return { clock, gates, pause };
}

describe('many origins that ask for a pause', () => {
  test('are dropped when their gates are full', () => {
    const { clock, gates, pause } = setUp();
    for (let host = 0; host < 10_000; host += 1) {
      pause(host, 100);
      clock.tick(1);
    }
    // Closed for 100 ms, and full after 100 more.
    expect(gates.stats().count).toBeLessThanOrEqual(200);
  });

  test('are at most so many, and the pause that ends first goes', () => {
    const { gates, pause } = setUp(1_000);
    for (let host = 0; host < 5_000; host += 1) pause(host, 60_000 + host);
    expect(gates.stats()).toMatchObject({ count: 1_000, pausedMs: 64_999 });
    expect(gates.for(at(3_999))).toBeUndefined();
    expect(gates.for(at(4_000))).toBeDefined();
  });

  test('that requests wait for stay', async () => {
    const { clock, gates, pause } = setUp(100);
    const waits: Promise<unknown>[] = [];
    for (let host = 0; host < 50; host += 1) {
      pause(host, 60_000);
      waits.push(gates.for(at(host))?.acquire() ?? Promise.reject());
    }
    for (let host = 50; host < 1_000; host += 1) pause(host, 120_000);
    expect(gates.stats()).toMatchObject({ count: 100, waiting: 50 });
    await clock.advance(60_100);
    await Promise.all(waits);
    expect(gates.stats().waiting).toBe(0);
  });
});

test('the counts are those of a recount', async () => {
  const host = fc.nat(5);
  const step = fc.oneof(
    fc.record({ kind: fc.constant('pause' as const), host, ms: fc.integer({ min: 1, max: 500 }) }),
    fc.record({ kind: fc.constant('ask' as const), host, ms: fc.integer({ min: 1, max: 500 }) }),
    fc.record({ kind: fc.constant('pass' as const), host, ms: fc.integer({ min: 1, max: 300 }) }),
    fc.record({ kind: fc.constant('resume' as const), host, ms: fc.constant(0) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { clock, gates, pause } = setUp(4);
      for (const { kind, host, ms } of steps) {
        if (kind === 'pause') pause(host, ms);
        else if (kind === 'resume') for (const gate of gates.all()) gate.resume();
        else if (kind === 'pass') await clock.advance(ms);
        else
          gates
            .for(at(host))
            ?.acquire({ maxWaitMs: ms })
            .catch(() => undefined);
        const stats = gates.stats();
        const all = [...gates.all()].map((gate) => gate.stats());
        expect(stats.waiting).toBe(all.reduce((sum, { waiting }) => sum + waiting, 0));
        for (const { pausedMs } of all) expect(stats.pausedMs).toBeGreaterThanOrEqual(pausedMs - 1e-6);
        expect(stats.count).toBeLessThanOrEqual(4 + stats.waiting);
      }
      await clock.advance(10_000);
      expect(gates.stats()).toEqual({ count: 0, pausedMs: 0, waiting: 0 });
    }),
    { numRuns: 200 },
  );
});
