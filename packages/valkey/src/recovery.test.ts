import { describe, expect, test } from 'vitest';
import { BusyFleet, CAPACITY, StoreWorld } from '../test/busy-fleet.ts';
import { LoneLease, reply } from '../test/lone-lease.ts';
import type { Health } from '../test/model-store.ts';
import type { OnStoreError } from './events.ts';
import { type Answer, attemptEnded, nextCharge, type OpenCall, type Outage, type Reply } from './lease.ts';

const TIMEOUT_MS = 250;
const CALM_MS = 6_000;
const LONG_AGO_MS = Number.POSITIVE_INFINITY;

/** How an attempt ended, if not with a reply in time. */
type Ended = {
  readonly state?: Answer['state'];
  readonly tooLate?: boolean;
  readonly resumedUs?: number;
};

/** An outage, and how its attempts end. */
class Recovery {
  readonly #outage: Outage;

  /** @param wasSilent else the store has refused a call */
  constructor(wasSilent: boolean, sinceBackMs: number) {
    const lease = new LoneLease({ timeoutMs: TIMEOUT_MS, localShare: 1 });
    const lose = (nowMs: number): void => {
      const silent = wasSilent ? { state: 'given up' as const } : {};
      lease.step(nowMs, undefined, {
        call: lease.peek(nowMs),
        sentAtMs: nowMs,
        error: new Error(),
        ...silent,
      });
    };
    if (sinceBackMs < LONG_AGO_MS) lease.state = { ...lease.state, backAtMs: -sinceBackMs };
    lose(0);
    const { outage } = lease.state as { outage: Outage };
    this.#outage = { ...outage, local: [0, 1].map(() => ({ ...(outage.local[0] as Outage['local'][0]) })) };
  }

  get isBack(): boolean {
    return this.#outage.isBack;
  }

  get isCharging(): boolean {
    return this.#outage.charged !== undefined;
  }

  /** This attempt, which charges 3 and 6, has ended. */
  answered(sentAtMs: number, nowMs: number, { state, tooLate = false, resumedUs = 0 }: Ended = {}): void {
    const told = state === 'given up' ? undefined : ({ ...reply({ tooLate, resumedUs, atUs: 1 }) } as Reply);
    const call = { mode: 'spend' as const, amounts: [3, 6] };
    attemptEnded(this.#outage, { call, sentAtMs } as unknown as OpenCall, told, state, nowMs);
  }

  /** The charge after so much more was spent. */
  charge(...amounts: number[]): readonly number[] {
    for (const [unit, amount] of amounts.entries())
      (this.#outage.local[unit] as { spent: number }).spent += amount;
    return nextCharge(this.#outage);
  }
}

describe('a store is back', () => {
  // What it was like, how long it was back before, after how long it replies, and whether it is back.
  test.each<[string, boolean, number, number, boolean]>([
    ['if it was not silent, with any reply', false, 0, 249, true],
    ['if it was silent, with a quick reply', true, LONG_AGO_MS, 125, true],
    ['… but not with a late one', true, LONG_AGO_MS, 126, false],
    ['if it was back just now, not with a quick one either', true, CALM_MS - 1, 1, false],
    ['if it was back for some time, with a quick one', true, CALM_MS, 125, true],
  ])('%s', (_, wasSilent, sinceBackMs, repliesAfterMs, isBack) => {
    const recovery = new Recovery(wasSilent, sinceBackMs);
    recovery.answered(1_000, 1_000 + repliesAfterMs);
    expect(recovery.isBack).toBe(isBack);
  });

  test('with late replies, once it has replied in time to all attempts of six seconds', () => {
    const recovery = new Recovery(true, LONG_AGO_MS);
    const isBackAt = (atMs: number, ended: Ended = {}): boolean => {
      recovery.answered(atMs - 200, atMs, ended);
      return recovery.isBack;
    };
    expect([isBackAt(1_000), isBackAt(6_900)]).toEqual([false, false]);
    const misses: Ended[] = [{ state: 'given up' }, { tooLate: true }, { state: 'late' }];
    for (const [times, missed] of misses.entries()) {
      const atMs = 7_000 * (times + 1);
      isBackAt(atMs, missed);
      expect([isBackAt(atMs + 500), isBackAt(atMs + 6_499)]).toEqual([false, false]);
    }
    expect(isBackAt(27_500)).toBe(true);
  });
});

describe('what is spent beside a slow store is charged', () => {
  const start = (wasSilent = true): Recovery => {
    const recovery = new Recovery(wasSilent, LONG_AGO_MS);
    recovery.charge(70, 5);
    recovery.answered(-9_999, -9_000, { state: 'given up' });
    expect(recovery.isCharging).toBe(false);
    return recovery;
  };

  test('once, and not what was spent before', () => {
    const recovery = start();
    recovery.answered(0, 200);
    expect([recovery.isCharging, recovery.charge(), recovery.isCharging]).toEqual([false, [0, 0], true]);
    expect(recovery.charge(30, 0)).toEqual([30, 0]);
    // It came late, most likely.
    recovery.answered(0, 300, { state: 'given up' });
    expect(recovery.charge(10, 2)).toEqual([10, 2]);
    // This one did nothing.
    recovery.answered(300, 700, { tooLate: true });
    expect(recovery.charge(1, 1)).toEqual([4, 7]);
  });

  test('from the first reply on, also if that attempt was given up', () => {
    for (const wasSilent of [true, false]) {
      const recovery = start(wasSilent);
      recovery.answered(0, 250, { state: 'given up' });
      expect(recovery.isCharging).toBe(false);
      recovery.answered(0, 300, { state: 'late', resumedUs: 2 });
      expect(recovery.isCharging).toBe(false);
      recovery.answered(0, 300, { state: 'late', resumedUs: 1 });
      expect(recovery.isCharging).toBe(wasSilent);
    }
  });

  test('until no attempt of two seconds has a reply', () => {
    const recovery = start();
    recovery.answered(0, 200);
    recovery.charge();
    recovery.answered(1_950, 2_200, { state: 'given up' });
    expect(recovery.isCharging).toBe(true);
    recovery.answered(1_951, 2_201, { state: 'given up' });
    expect(recovery.isCharging).toBe(false);
    expect(recovery.charge(500, 500)).toEqual([0, 0]);
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
