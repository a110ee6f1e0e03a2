import { describe, expect, test } from 'vitest';
import { BusyFleet, StoreWorld } from '../test/busy-fleet.ts';
import { spendInTrouble } from '../test/fleet-trouble.ts';
import type { Health } from '../test/model-store.ts';
import type { OnStoreError } from './events.ts';
import { Recovery } from './recovery.ts';

const TIMEOUT_MS = 250;
const CALM_MS = 6_000;
const LONG_AGO_MS = Number.POSITIVE_INFINITY;

describe('a store is back', () => {
  test.each<
    [
      when: string,
      timeoutMs: number | undefined,
      sinceBackMs: number,
      repliesAfterMs: number,
      isBack: boolean,
    ]
  >([
    ['if it was not silent, with any reply', undefined, 0, 249, true],
    ['if it was silent, with a quick reply', TIMEOUT_MS, LONG_AGO_MS, 125, true],
    ['… but not with a late one', TIMEOUT_MS, LONG_AGO_MS, 126, false],
    ['if it was back just now, not with a quick one either', TIMEOUT_MS, CALM_MS - 1, 1, false],
    ['if it was back for some time, with a quick one', TIMEOUT_MS, CALM_MS, 125, true],
  ])('%s', (_, timeoutMs, sinceBackMs, repliesAfterMs, isBack) => {
    const recovery = new Recovery(timeoutMs, sinceBackMs);
    recovery.replied(1_000, 1_000 + repliesAfterMs);
    expect(recovery.isBack).toBe(isBack);
  });

  test('with late replies, once it has replied to all attempts of six seconds', () => {
    const recovery = new Recovery(TIMEOUT_MS, LONG_AGO_MS);
    const reply = (atMs: number): boolean => {
      recovery.replied(atMs - 200, atMs);
      return recovery.isBack;
    };
    expect([reply(1_000), reply(6_900)]).toEqual([false, false]);
    recovery.missed();
    expect([reply(7_500), reply(13_499), reply(13_500)]).toEqual([false, false, true]);
  });
});

test('what is spent is charged once, until two attempts in a row get no reply', () => {
  const recovery = new Recovery(TIMEOUT_MS, LONG_AGO_MS);
  const local = [{ spent: 70 }, { spent: 5 }];
  const spend = (...amounts: number[]): void => {
    for (const [unit, amount] of amounts.entries()) (local[unit] as { spent: number }).spent += amount;
  };
  recovery.missed();
  recovery.missed();
  recovery.replied(300, 500);
  // What was spent before is another matter: the others did not share the bucket yet.
  expect([recovery.charge(local), recovery.isCharging]).toEqual([[0, 0], true]);
  spend(30, 0);
  expect(recovery.charge(local)).toEqual([30, 0]);
  recovery.missed();
  recovery.replied(700, 900);
  spend(10, 2);
  recovery.missed();
  expect(recovery.charge(local)).toEqual([10, 2]);
  recovery.missed();
  expect(recovery.isCharging).toBe(false);
  spend(500, 500);
  expect(recovery.charge(local)).toEqual([0, 0]);
});

test.each<[health: Health, onStoreError: OnStoreError, isBack: boolean]>([
  ['silent', 'local', false],
  ['refusing', 'local', true],
  ['silent', 'closed', true],
  ['silent', 'open', true],
])(
  "after a store that was %s, a reply in time but late ends the mode '%s': %s",
  async (health, onStoreError, isBack) => {
    const world = new StoreWorld();
    const fleet = new BusyFleet(world, 2, { onStoreError });
    await world.clock.advance(1_000);
    world.store.health = health;
    await world.clock.advance(1_000);
    expect(fleet.modes).toEqual([onStoreError, onStoreError]);
    world.store.latencyMs = 100;
    world.store.health = 'up';
    await world.clock.advance(3_000);
    expect(fleet.modes.includes('shared')).toBe(isBack);
    await world.clock.advance(6_000);
    expect(fleet.modes).toEqual(['shared', 'shared']);
    await fleet.end();
  },
);

describe('a round trip that varies around the limit: few turns, and the quota is kept and used', () => {
  test.each<[roundTripMs: number, varies: number, turns: number, least: number]>([
    [250, 0.3, 2, 0.97],
    [250, 0.1, 2, 0.97],
    [220, 0.3, 2, 0.85],
    [200, 0.3, 2, 0.9],
    // Some replies are quick by chance, and the first of them ends the outage.
    [250, 0.8, 3, 0.9],
  ])('%i ms ± %f', async (roundTripMs, varies, most, least) => {
    for (const processes of [1, 6]) {
      const slow = { lastsMs: 24_000, roundTripMs, varies };
      const phases = [{ lastsMs: 3_000 }, slow];
      const { turns, shares, burst, hanging } = await spendInTrouble({
        processes,
        rate: 400,
        askers: 16,
        phases,
      });
      expect(turns).toBeLessThanOrEqual(most);
      expect(shares[1]).toBeGreaterThanOrEqual(least);
      expect(burst).toBeLessThanOrEqual(2);
      expect(hanging).toBe(0);
    }
  });
});
