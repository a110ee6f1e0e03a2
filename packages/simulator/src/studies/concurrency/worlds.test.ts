import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adaptiveLimit, best, CELLS, play } from './cells.ts';
import { ConcurrencyRule } from './rule.ts';

/** One of each kind: what the study shows of all cells, with some room for the one seed. */
const FEW = CELLS.filter(
  ({ service, callers }) => service.name.startsWith('10') && service.workMs === 20 && callers !== 2,
);

describe('beside the best fixed limit, while the capacity halves and doubles', () => {
  test.each(FEW)('$service.name, $spread, $callers callers', (cell) => {
    const [found, right] = [play(adaptiveLimit(), cell, 2), best(cell, 2)];
    for (const phase of ['steady', 'half', 'back'] as const) {
      expect(found[phase].perSecond).toBeGreaterThanOrEqual(0.95 * right[phase].perSecond);
      expect(found[phase].p99Ms).toBeLessThanOrEqual(1.5 * right[phase].p99Ms);
    }
  });
});

test('whatever comes, the limit is between its bounds', () => {
  const step = fc.record({
    tookMs: fc.integer({ min: 0, max: 5_000 }),
    inFlight: fc.integer({ min: 1, max: 60 }),
    how: fc.constantFrom('answered', 'bound', 'failed', 'lost'),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 400 }), (min, steps) => {
      const rule = new ConcurrencyRule(min, 50);
      let nowMs = 0;
      for (const { tookMs, inFlight, how } of steps) {
        const window = rule.sent(inFlight);
        const sentMs = nowMs;
        nowMs += tookMs;
        if (how === 'failed') rule.failed(window, sentMs, nowMs, inFlight);
        else if (how === 'lost') rule.lost(window);
        else rule.answered(window, sentMs, nowMs, how === 'bound');
        expect(rule.limit).toBeGreaterThanOrEqual(min);
        expect(rule.limit).toBeLessThanOrEqual(50);
      }
    }),
  );
});
