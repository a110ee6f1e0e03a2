import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { spend, tokensAt } from './gcra.ts';
import { Level } from './level.ts';

const quota = { capacity: 100, refillPerSecond: 1 };
const step = fc.oneof(
  fc.record({ kind: fc.constant('take' as const), cost: fc.integer({ min: 1, max: 100 }) }),
  fc.record({
    kind: fc.constant('settle' as const),
    which: fc.nat(20),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(60_000) }),
);

test('after all is given back there is what there would be if it had never been taken, but for 1/32', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
      const state = new Level({ ...quota, initialTokens: quota.capacity });
      const taken: { readonly atMs: number; readonly as: unknown; readonly cost: number; used: number }[] =
        [];
      const open: typeof taken = [];
      let nowMs = 0;
      for (const step of steps) {
        if (step.kind === 'pass') nowMs += step.ms;
        else if (step.kind === 'take') {
          if (!state.take(step.cost, nowMs)) continue;
          const one = { atMs: nowMs, as: state.held, cost: step.cost, used: step.cost };
          taken.push(one);
          open.push(one);
        } else {
          const [one] = open.splice(step.which % Math.max(1, open.length), 1);
          if (one === undefined) continue;
          one.used = one.cost * step.share;
          state.settle(one.cost - one.used, one.as, nowMs);
        }
      }
      let emptyAtMs = -100_000;
      for (const { atMs, used } of taken) emptyAtMs = spend(quota, emptyAtMs, used, atMs);
      const there = tokensAt(quota, emptyAtMs, nowMs);
      const tokens = state.tokens(nowMs);
      expect(tokens).toBeLessThanOrEqual(there + 1e-6);
      const settled = taken.length - open.length;
      expect(tokens).toBeGreaterThanOrEqual(there - (settled * quota.capacity) / 32 - 1e-6);
    }),
    { numRuns: runs(5_000) },
  );
});
