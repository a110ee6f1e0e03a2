import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededRandom } from '../../testing.ts';
import { ThrottleRule } from './rule.ts';

const numbers = fc.record({
  floor: fc.double({ min: 0.001, max: 1, noNaN: true }),
  credit: fc.double({ min: 0, max: 10, noNaN: true }),
  reserve: fc.double({ min: 0, max: 10, noNaN: true }),
});
const step = fc.record({
  // A clock may be set back.
  ms: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: -1e7, max: 1e7 })),
  asked: fc.nat(5),
  tookMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  failed: fc.boolean(),
  isRetry: fc.boolean(),
});

test('whatever happens, the share is from floor to 1, and retries are paid for', () => {
  fc.assert(
    fc.property(
      numbers,
      fc.array(step, { maxLength: 200, size: 'max' }),
      fc.nat(),
      (options, steps, seed) => {
        const rule = new ThrottleRule(options);
        const random = seededRandom(seed);
        let nowMs = 1e9;
        let asked = 0;
        let retries = 0;
        let answers = 0;
        for (const { ms, asked: count, tookMs, failed, isRetry } of steps) {
          nowMs += ms;
          for (let at = 0; at < count; at += 1) rule.ask(nowMs);
          asked += count;
          if (isRetry ? rule.take(nowMs, true, random) : true) {
            if (isRetry) retries += 1;
            if (!failed) answers += isRetry ? 1 : 0.2;
            rule.learn(nowMs, tookMs, failed, isRetry);
          }
          expect(rule.share).toBeGreaterThanOrEqual(options.floor);
          expect(rule.share).toBeLessThanOrEqual(1);
        }
        // Each request is good for `credit`, and each answer pays. A window may shrink and grow: what is left is a part of it.
        const most = Math.max(options.reserve, options.credit * asked);
        expect(retries).toBeLessThanOrEqual((most + answers) * Math.max(1, steps.length));
      },
    ),
    { numRuns: 300 },
  );
});

test('a service whose answers take the same time, from no time to a minute, is never throttled', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 300, size: 'max' });
  fc.assert(
    fc.property(fc.double({ min: 0, max: 60_000, noNaN: true }), gaps, (tookMs, times) => {
      const rule = new ThrottleRule({ floor: 0.02, credit: 2.5, reserve: 3 });
      let nowMs = 1e9;
      for (const ms of times) {
        nowMs += ms;
        rule.learn(nowMs, tookMs, false, false);
        expect(rule.share).toBe(1);
      }
    }),
    { numRuns: 300 },
  );
});

test('after any trouble, minutes of answers open it', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60, size: 'max' }),
      fc.integer({ min: 20, max: 2_000 }),
      (steps, gapMs) => {
        const rule = new ThrottleRule({ floor: 0.02, credit: 2.5, reserve: 3 });
        let nowMs = 1e9;
        for (const { ms, tookMs, failed, isRetry } of steps) {
          nowMs += Math.max(0, ms);
          rule.learn(nowMs, tookMs % 1_000, failed, isRetry);
        }
        for (let passedMs = 0; passedMs < 600_000; passedMs += gapMs) {
          nowMs += gapMs;
          rule.learn(nowMs, 50, false, false);
        }
        expect(rule.share).toBe(1);
      },
    ),
    { numRuns: 200 },
  );
});
