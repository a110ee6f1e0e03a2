import { describe, expect, test } from 'vitest';
import { adaptiveLimit, best, CELLS, play } from './cells.ts';

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
