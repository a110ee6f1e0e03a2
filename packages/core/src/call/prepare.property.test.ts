import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/runs.ts';
import { REQUEST, response } from '../../test/call-with-limits.ts';
import { judge, prepare } from '../../test/steps.ts';
import { tokenBucket } from '../limits/bucket/token-bucket.ts';
import { concurrencyLimit } from '../limits/concurrency/concurrency.ts';
import { createPolicy } from '../policy/policy.ts';
import { virtualClock } from '../testing.ts';
import { Call } from './call.ts';

const request = { ...REQUEST, method: 'PUT' };
const ms = fc.integer({ min: 0, max: 2_000 });

test('whatever hooks and body factories take, what is sent keeps the slots, and the bucket until a body is made', async () => {
  const call = fc.record({ startMs: ms, hookMs: fc.option(ms), bodyMs: fc.option(ms), serviceMs: ms });
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 6 }),
      async (calls, capacity, refillPerSecond, maxConcurrent) => {
        const clock = virtualClock();
        const bucket = tokenBucket({ capacity, refillPerSecond, clock });
        const concurrency = concurrencyLimit({ maxConcurrent, clock });
        const sentAtMs: number[] = [];
        let most = 0;
        let underWay = 0;
        const send = async ({
          startMs,
          hookMs,
          bodyMs,
          serviceMs,
        }: (typeof calls)[number]): Promise<void> => {
          await clock.sleep(startMs);
          const beforeAttempt = hookMs === null ? undefined : () => clock.sleep(hookMs).then(() => undefined);
          const call = new Call(createPolicy({ clock, bucket, concurrency, beforeAttempt }), request);
          const makeBody = bodyMs === null ? undefined : () => clock.sleep(bodyMs);
          await prepare(call, undefined, undefined, makeBody);
          sentAtMs.push(clock.now());
          underWay += 1;
          most = Math.max(most, underWay);
          await clock.sleep(serviceMs);
          underWay -= 1;
          judge(call, response(200));
          call.released();
        };
        await clock.runUntilSettled(Promise.all(calls.map(send)), { realTimeoutMs: 30_000 });
        expect(sentAtMs).toHaveLength(calls.length);
        expect(most).toBeLessThanOrEqual(maxConcurrent);
        const longestMs = Math.max(...calls.map(({ bodyMs }) => bodyMs ?? 0));
        for (const [from, fromMs] of sentAtMs.entries()) {
          for (const [to, toMs] of sentAtMs.entries()) {
            if (to < from) continue;
            // A body is made with its tokens: those that were taken while the longest was made may be sent together.
            const allowed = capacity + (refillPerSecond * (toMs - fromMs + longestMs)) / 1_000;
            expect(to - from + 1).toBeLessThanOrEqual(allowed + 1e-6);
          }
        }
        expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
        expect(bucket.stats().waiting).toBe(0);
      },
    ),
    { numRuns: runs(100) },
  );
});
