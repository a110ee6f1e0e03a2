import { seededRandom } from '@ebb/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  add,
  comesInMs,
  type LeasedTokens,
  leftOf,
  moveEarlier,
  newLease,
  take,
  trim,
  type Unit,
} from './lease.ts';
import { fleetSetup } from './options.ts';

const client = { evalsha: () => Promise.reject(), eval: () => Promise.reject() };

test('tokens are available when the lease says, after any moves and trims', () => {
  let waited = 0;
  const pools = fc.record({
    seed: fc.integer(),
    perMs: fc.constantFrom(500, 50_000, 1e6, 5e7),
    keep: fc.boolean(),
  });
  fc.assert(
    fc.property(pools, ({ seed, perMs, keep }) => {
      const random = seededRandom(seed);
      const state = newLease(
        fleetSetup({ client, key: 'k', refillPerSecond: perMs / 1_000, capacity: 1 }),
        'p',
        0,
      );
      const leases = (): LeasedTokens[] => (state.units[0] as Unit).leases;
      const takes = (amount: number, atMs: number): boolean => take(state, [amount], atMs) === 'store';
      let [nowMs, endMs] = [0, 0];
      for (let step = 0; step < 60; step += 1) {
        const dice = random();
        if (dice < 0.4) {
          const left = Math.ceil(random() * 1_000 * perMs);
          endMs = Math.max(endMs, nowMs) + left / perMs + (random() < 0.5 ? random() * 5_000 : 0);
          if (keep) for (const one of leases()) one.expiresAtMs = Math.max(one.expiresAtMs, endMs + 1e6);
          const mark = { epoch: 1, marks: [step] };
          add(leases(), { left, availableAtMs: endMs, expiresAtMs: endMs + 1e6, mark }, perMs);
        } else if (dice < 0.6) {
          endMs -= random() * (endMs - nowMs);
          moveEarlier(leases(), endMs, perMs);
        } else if (dice < 0.7) trim(leases(), leftOf({ leases: leases() }) * random(), nowMs, perMs);
        else nowMs += random() * 500;
        const amount = Math.ceil(random() * leftOf({ leases: leases() }));
        const waitMs = comesInMs(leases(), amount, perMs, nowMs);
        if (amount === 0 || waitMs === undefined) continue;
        if (waitMs > 1) {
          waited += 1;
          expect(takes(amount, nowMs + waitMs - 0.5)).toBe(false);
        }
        if (random() < 0.5) continue;
        nowMs += waitMs;
        expect(takes(amount, nowMs + 1e-6)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
  expect(waited).toBeGreaterThan(1_000);
});
