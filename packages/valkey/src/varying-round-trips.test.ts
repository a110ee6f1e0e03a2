import { describe, expect, test } from 'vitest';
import { spendInTrouble } from '../test/fleet-trouble.ts';
import type { OnStoreError } from './events.ts';

describe('a round trip that varies around the limit: two turns in six seconds, and the quota is kept and used', () => {
  const all: readonly OnStoreError[] = ['local', 'closed', 'open'];
  test.each<[roundTripMs: number, varies: number, least: number, leastClosed: number]>([
    [250, 0.3, 0.97, 0.7],
    [200, 0.3, 0.88, 0.85],
    // A quick reply by chance ends the outage, and for six seconds those after it may take twice the limit.
    [250, 0.8, 0.7, 0.55],
  ])('%i ms ± %f', async (roundTripMs, varies, least, leastClosed) => {
    for (const onStoreError of all) {
      // What is granted without a limit is not counted.
      const quiet = onStoreError === 'open' ? { quietMs: 50 } : {};
      for (const processes of onStoreError === 'local' ? [1, 6] : [2]) {
        const phases = [{ lastsMs: 3_000 }, { lastsMs: 24_000, roundTripMs, varies }];
        const { turns, shares, burst, hanging } = await spendInTrouble({
          ...{ processes, rate: 400, askers: 16, onStoreError },
          phases: phases.map((phase) => ({ ...phase, ...quiet })),
        });
        expect(turns).toBeLessThanOrEqual(2);
        if (onStoreError !== 'open')
          expect(shares[1]).toBeGreaterThanOrEqual(onStoreError === 'local' ? least : leastClosed);
        expect(burst).toBeLessThanOrEqual(2);
        expect(hanging).toBe(0);
      }
    }
  });
});
