import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/runs.ts';
import type { StepOf } from '../../test/histories.ts';
import { NotSentError } from '../base/errors.ts';
import { tokenBucket } from '../limits/bucket/token-bucket.ts';
import type { Grant } from '../policy/contracts.ts';
import { virtualClock } from '../testing.ts';
import { fairQueue } from './fair-queue.ts';
import { priorityQueue } from './order.ts';

/** A queue, requests with these keys, and another one, with its patience. */
function traces(queue: fc.Arbitrary<ReturnType<typeof fairQueue>>, keys: readonly string[]) {
  const ask = {
    gapMs: fc.oneof(fc.constant(0), fc.nat(50), fc.nat(1_000), fc.double({ min: 0, max: 50, noNaN: true })),
    share: fc.constantFrom(1, 0.5, 0.3, 0.01),
    priority: fc.integer({ min: -2, max: 2 }),
    retry: fc.boolean(),
  };
  const keyed = (...more: string[]) =>
    fc.record({ ...ask, fairKey: fc.constantFrom(...(keys.length > 0 ? [...keys, ...more] : [undefined])) });
  return fc.record({
    options: fc.record({
      refillPerSecond: fc.constantFrom(1, 3, 10, 100),
      capacity: fc.constantFrom(1, 2, 7, 20),
      queue,
      refillIntervalMs: fc.constantFrom(0, 0, 0, 200, 1_000),
    }),
    asks: fc.array(keyed(), { maxLength: 30, size: 'max' }),
    probe: keyed('new'),
    patienceMs: fc.oneof(fc.nat(3_000), fc.nat(20_000)),
  });
}
type Trace = StepOf<ReturnType<typeof traces>>;

/** The result of the last request: when its tokens came, or why it was refused. */
async function fateOf({ options, asks, probe }: Trace, most?: number): Promise<Grant | string> {
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ ...options, clock });
  const acquire = ({ share, gapMs, ...place }: typeof probe, maxWaitMs?: number) => {
    clock.tick(gapMs);
    return bucket.acquire({ cost: share * options.capacity, ...place, maxWaitMs });
  };
  for (const one of asks) void acquire(one);
  const asked = acquire(probe, most);
  const { refused } = bucket.stats();
  clock.tick(1e9);
  return asked.catch((error: unknown) => {
    if (!(error instanceof NotSentError)) throw error;
    return refused > 0 ? 'at once' : 'later';
  });
}

test('a request is refused at once if its tokens would be late, and else they come in time', async () => {
  const queue = fc.constantFrom(100, 1_000, 60_000).map((agingMs) => priorityQueue({ agingMs }));
  await fc.assert(
    fc.asyncProperty(traces(queue, []), async (trace) => {
      const { waitedMs } = (await fateOf(trace)) as Grant;
      const limited = await fateOf(trace, trace.patienceMs);
      if (typeof limited === 'object') expect(limited.waitedMs).toBeCloseTo(waitedMs, 6);
      else expect(waitedMs).toBeGreaterThan(trace.patienceMs);
      // Steps may overflow, and the loss is not known in advance.
      if (trace.options.refillIntervalMs === 0) expect(limited).not.toBe('later');
    }),
    { numRuns: runs(2_000) },
  );
});

test('in a fair queue no request is refused whose tokens would come in time', async () => {
  const weightOf = (key: string): number => key.charCodeAt(0) - 96;
  const queue = fc.constant(fairQueue({ weightOf, agingMs: 60_000 }));
  await fc.assert(
    fc.asyncProperty(traces(queue, ['a', 'b', 'c']), async (trace) => {
      const { waitedMs } = (await fateOf(trace)) as Grant;
      if (waitedMs > trace.patienceMs) return;
      expect(((await fateOf(trace, trace.patienceMs)) as Grant).waitedMs).toBeCloseTo(waitedMs, 6);
    }),
    { numRuns: runs(2_000), endOnFailure: true },
  );
});
