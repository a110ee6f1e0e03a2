import { describe, expect, test } from 'vitest';
import { BusyFleet, CAPACITY, StoreWorld } from '../test/busy-fleet.ts';
import type { Health } from '../test/model-store.ts';
import type { OnStoreError } from './events.ts';
import type { Reply } from './known-state.ts';
import { Recovery } from './recovery.ts';
import type { Answer } from './step.ts';
import type { StoreCall } from './store-call.ts';

const TIMEOUT_MS = 250;
const CALM_MS = 6_000;
const LONG_AGO_MS = Number.POSITIVE_INFINITY;

/** How an attempt ended, if not with a reply in time. */
type Ended = Pick<Answer, 'state'> & { readonly tooLate?: boolean; readonly resumedUs?: number };

/** An attempt that charges 3 and 6. */
function attempt(sentAtMs: number, { state, tooLate = false, resumedUs = 0 }: Ended = {}): Answer {
  const call: StoreCall = { mode: 'spend', amounts: [3, 6] };
  const reply = state === 'given up' ? undefined : ({ tooLate, resumedUs, atUs: 1 } as Reply);
  return { call, sentAtMs, reply, ...(state === undefined ? {} : { state }) };
}

describe('a store is back', () => {
  // When it replies, what it was like, how long it was back before, after how long it replies, and whether it is back.
  test.each<[string, number | undefined, number, number, boolean]>([
    ['if it was not silent, with any reply', undefined, 0, 249, true],
    ['if it was silent, with a quick reply', TIMEOUT_MS, LONG_AGO_MS, 125, true],
    ['… but not with a late one', TIMEOUT_MS, LONG_AGO_MS, 126, false],
    ['if it was back just now, not with a quick one either', TIMEOUT_MS, CALM_MS - 1, 1, false],
    ['if it was back for some time, with a quick one', TIMEOUT_MS, CALM_MS, 125, true],
  ])('%s', (_, timeoutMs, sinceBackMs, repliesAfterMs, isBack) => {
    const recovery = new Recovery(timeoutMs, sinceBackMs);
    recovery.answered(attempt(1_000), [], 1_000 + repliesAfterMs);
    expect(recovery.isBack).toBe(isBack);
  });

  test('with late replies, once it has replied in time to all attempts of six seconds', () => {
    const recovery = new Recovery(TIMEOUT_MS, LONG_AGO_MS);
    const isBackAt = (atMs: number, ended: Ended = {}): boolean => {
      recovery.answered(attempt(atMs - 200, ended), [], atMs);
      return recovery.isBack;
    };
    expect([isBackAt(1_000), isBackAt(6_900)]).toEqual([false, false]);
    const misses: Ended[] = [{ state: 'given up' }, { tooLate: true }, { state: 'late', tooLate: false }];
    for (const [times, missed] of misses.entries()) {
      const atMs = 7_000 * (times + 1);
      isBackAt(atMs, missed);
      expect([isBackAt(atMs + 500), isBackAt(atMs + 6_499)]).toEqual([false, false]);
    }
    expect(isBackAt(27_500)).toBe(true);
  });
});

describe('what is spent beside a slow store is charged', () => {
  const start = (timeoutMs?: number) => {
    const recovery = new Recovery(timeoutMs, LONG_AGO_MS);
    const local = [{ spent: 70 }, { spent: 5 }];
    const chargeAfter = (...amounts: number[]): unknown => {
      for (const [unit, amount] of amounts.entries()) (local[unit] as { spent: number }).spent += amount;
      return recovery.charge(local);
    };
    return { recovery, local, chargeAfter };
  };

  test('once, and not what was spent before', () => {
    const { recovery, local, chargeAfter } = start(TIMEOUT_MS);
    recovery.answered(attempt(0), local, 200);
    expect([recovery.isCharging, chargeAfter(), recovery.isCharging]).toEqual([false, [0, 0], true]);
    expect(chargeAfter(30, 0)).toEqual([30, 0]);
    // It came late, most likely.
    recovery.answered(attempt(0, { state: 'given up' }), local, 300);
    expect(chargeAfter(10, 2)).toEqual([10, 2]);
    // This one did nothing.
    recovery.answered(attempt(300, { tooLate: true }), local, 700);
    expect(chargeAfter(1, 1)).toEqual([4, 7]);
  });

  test('from the first reply on, also if that attempt was given up', () => {
    for (const timeoutMs of [TIMEOUT_MS, undefined]) {
      const { recovery, local } = start(timeoutMs);
      recovery.answered(attempt(0, { state: 'given up' }), local, 250);
      expect(recovery.isCharging).toBe(false);
      recovery.answered(attempt(0, { state: 'late', resumedUs: 2 }), local, 300);
      expect(recovery.isCharging).toBe(false);
      recovery.answered(attempt(0, { state: 'late', resumedUs: 1 }), local, 300);
      expect(recovery.isCharging).toBe(timeoutMs !== undefined);
    }
  });

  test('until no attempt of two seconds has a reply', () => {
    const { recovery, local, chargeAfter } = start(TIMEOUT_MS);
    recovery.answered(attempt(0), local, 200);
    chargeAfter();
    recovery.answered(attempt(1_950, { state: 'given up' }), local, 2_200);
    expect(recovery.isCharging).toBe(true);
    recovery.answered(attempt(1_951, { state: 'given up' }), local, 2_201);
    expect(recovery.isCharging).toBe(false);
    expect(chargeAfter(500, 500)).toEqual([0, 0]);
  });
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
test('a store that was back just now, and is silent, is lost after twice the limit, and so long close may take', async () => {
  const world = new StoreWorld();
  const bucket = world.bucket({ onStoreError: 'closed' });
  const other = world.bucket({ onStoreError: 'closed' });
  const ask = () => [bucket, other].map((one) => one.acquire({ cost: CAPACITY / 2 }).catch(() => undefined));
  world.store.health = 'silent';
  ask();
  await world.clock.advance(11_000);
  world.store.health = 'up';
  ask();
  await world.clock.advance(2_000);
  expect(world.events.map(({ type }) => type)).toEqual(['lost', 'lost', 'back', 'back']);
  world.store.health = 'silent';
  const sinceMs = world.clock.now();
  ask();
  await world.clock.advance(TIMEOUT_MS / 2);
  expect(await world.fateOf(other.close(), 2 * TIMEOUT_MS)).toBe(undefined);
  const lost = { type: 'lost', atMs: expect.closeTo(sinceMs + 2 * TIMEOUT_MS, 0) };
  expect(world.events.at(-1)).toMatchObject(lost);
});
