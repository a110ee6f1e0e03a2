import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { type Occasion, ThrottleRule } from './rule.ts';

const step = fc.record({
  // A clock may be set back.
  ms: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: -1e7, max: 1e7 })),
  asked: fc.nat(5),
  lateness: fc.double({ min: 0, max: 100, noNaN: true }),
  failed: fc.boolean(),
  occasion: fc.constantFrom<Occasion>('first', 'after-timeout', 'after-failure'),
  isSent: fc.boolean(),
});

test('whatever happens, the share is from floor to 1, and what is sent in trouble is paid for', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const rule = new ThrottleRule();
      let nowMs = 1e9;
      let paidIn = 0;
      let paidOut = 0;
      for (const { ms, asked, lateness, failed, occasion, isSent } of steps) {
        nowMs += ms;
        for (let at = 0; at < asked; at += 1) rule.ask();
        // At most 1 by a new request and by an answer, and what answers have paid before.
        paidIn += asked;
        const isTaken = rule.take(nowMs, occasion);
        const isFree = occasion === 'first' && rule.state === 'closed';
        if (isFree) expect(isTaken).toBe(true);
        if (isTaken && !isSent) rule.giveBack(nowMs, occasion);
        else if (isTaken) {
          if (!isFree && occasion !== 'after-failure') paidOut += occasion === 'after-timeout' ? 2 : 1;
          rule.learn(nowMs, failed, occasion !== 'first', lateness);
          if (!failed) paidIn += 1;
        }
        expect(rule.level).toBeGreaterThanOrEqual(0.2);
        expect(rule.level).toBeLessThanOrEqual(1);
        expect(paidOut).toBeLessThanOrEqual(paidIn);
      }
    }),
    { numRuns: runs(300) },
  );
});

test('a service that answers is never throttled, however slow it gets', () => {
  const answers = fc.array(
    fc.record({ ms: fc.nat(20_000), lateness: fc.double({ min: 0, max: 10, noNaN: true }) }),
    { minLength: 1, maxLength: 300, size: 'max' },
  );
  fc.assert(
    fc.property(answers, (all) => {
      const rule = new ThrottleRule();
      let nowMs = 1e9;
      for (const { ms, lateness } of all) {
        nowMs += ms;
        rule.ask();
        expect(rule.take(nowMs, 'first')).toBe(true);
        rule.learn(nowMs, false, false, lateness);
        expect([rule.level, rule.state]).toEqual([1, 'closed']);
      }
    }),
    { numRuns: runs(300) },
  );
});

test('after any trouble, a minute of prompt answers ends it', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60, size: 'max' }),
      fc.integer({ min: 20, max: 2_000 }),
      (steps, gapMs) => {
        const rule = new ThrottleRule();
        let nowMs = 1e9;
        for (const { ms, lateness, failed } of steps) {
          nowMs += Math.max(0, ms);
          rule.learn(nowMs, failed, false, lateness);
        }
        for (let passedMs = 0; passedMs < 60_000; passedMs += gapMs) {
          nowMs += gapMs;
          rule.learn(nowMs, false, false, 0.05);
        }
        expect([rule.level, rule.state]).toEqual([1, 'closed']);
      },
    ),
    { numRuns: runs(200) },
  );
});
