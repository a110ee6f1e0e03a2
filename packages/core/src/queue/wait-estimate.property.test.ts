import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NotSentError } from '../base/errors.ts';
import { tokenBucket } from '../parts/bucket/token-bucket.ts';
import type { Grant } from '../policy/contracts.ts';
import { virtualClock } from '../testing.ts';
import { fairQueue } from './fair-queue.ts';
import { priorityQueue } from './order.ts';

const ask = fc.record({
  gapMs: fc.oneof(fc.constant(0), fc.nat(50), fc.nat(1_000), fc.double({ min: 0, max: 50, noNaN: true })),
  share: fc.constantFrom(1, 0.5, 0.3, 0.01),
  priority: fc.integer({ min: -2, max: 2 }),
  retry: fc.boolean(),
});

const bucketOptions = fc.record({
  refillPerSecond: fc.constantFrom(1, 3, 10, 100),
  capacity: fc.constantFrom(1, 2, 7, 20),
  queue: fc.constantFrom(100, 1_000, 60_000).map((agingMs) => priorityQueue({ agingMs })),
  refillIntervalMs: fc.constantFrom(0, 0, 0, 200, 1_000),
});

const trace = fc.record({
  options: bucketOptions,
  asks: fc.array(ask, { maxLength: 30, size: 'max' }),
  probe: ask,
  patienceMs: fc.oneof(fc.nat(3_000), fc.nat(20_000)),
});
type Trace = typeof trace extends fc.Arbitrary<infer T> ? T : never;

/** The result of the last request: when its tokens came, or why it was refused. */
async function fateOf(
  { options, asks, probe }: Trace,
  maxWaitMs: number | undefined,
): Promise<Grant | string> {
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ ...options, clock });
  const acquire = ({ share, priority, retry, gapMs }: typeof probe, maxWaitMs?: number) => {
    clock.tick(gapMs);
    return bucket.acquire({ cost: share * options.capacity, priority, retry, maxWaitMs });
  };
  for (const one of asks) void acquire(one);
  const asked = acquire(probe, maxWaitMs);
  const { refused } = bucket.stats();
  clock.tick(1e9);
  return asked.catch((error: unknown) => {
    if (!(error instanceof NotSentError)) throw error;
    return refused > 0 ? 'at once' : 'later';
  });
}

test('a request is refused at once if its tokens would be late, and else they come in time', async () => {
  await fc.assert(
    fc.asyncProperty(trace, async (trace) => {
      const { waitedMs } = (await fateOf(trace, undefined)) as Grant;
      const limited = await fateOf(trace, trace.patienceMs);
      if (typeof limited === 'object') expect(limited.waitedMs).toBeCloseTo(waitedMs, 6);
      else expect(waitedMs).toBeGreaterThan(trace.patienceMs);
      // Steps may overflow, and the loss is not known in advance.
      if (trace.options.refillIntervalMs === 0) expect(limited).not.toBe('later');
    }),
    { numRuns: 2_000 },
  );
});

/** The same, with keys and weights. */
const fairTrace = fc.record({
  options: bucketOptions,
  asks: fc.array(fc.tuple(ask, fc.constantFrom('a', 'b', 'c')), { maxLength: 30, size: 'max' }),
  probe: fc.tuple(ask, fc.constantFrom('a', 'b', 'c', 'new')),
  patienceMs: fc.oneof(fc.nat(3_000), fc.nat(20_000)),
});

test('in a fair queue no request is refused whose tokens would come in time', async () => {
  await fc.assert(
    fc.asyncProperty(fairTrace, async ({ options, asks, probe, patienceMs }) => {
      const fateOf = async (maxWaitMs: number | undefined): Promise<Grant | undefined> => {
        const clock = virtualClock({ startMs: 0 });
        const weightOf = (key: string): number => key.charCodeAt(0) - 96;
        const queue = fairQueue({ weightOf, agingMs: 60_000 });
        const bucket = tokenBucket({ ...options, queue, clock });
        const acquire = ([{ share, priority, retry, gapMs }, fairKey]: typeof probe, most?: number) => {
          clock.tick(gapMs);
          const cost = share * options.capacity;
          return bucket.acquire({ cost, priority, retry, fairKey, maxWaitMs: most });
        };
        for (const one of asks) void acquire(one);
        const asked = acquire(probe, maxWaitMs).catch(() => undefined);
        clock.tick(1e9);
        return asked;
      };
      const { waitedMs } = (await fateOf(undefined)) as Grant;
      if (waitedMs <= patienceMs) expect((await fateOf(patienceMs))?.waitedMs).toBeCloseTo(waitedMs, 6);
    }),
    { numRuns: 2_000, endOnFailure: true },
  );
});
