import { describe, expect, test } from 'vitest';
import { CAPACITY, StoreWorld } from '../test/busy-fleet.ts';
import { LoneLease, reply } from '../test/lone-lease.ts';
import { type Answer, attemptEnded, type OpenCall, type Outage, type Reply } from './lease.ts';

const TIMEOUT_MS = 250;
const CALM_MS = 6_000;
const LONG_AGO_MS = Number.POSITIVE_INFINITY;

/** How an attempt ended, if not with a reply in time. */
type Ended = { readonly state?: Answer['state']; readonly tooLate?: boolean };

/** An outage, and how its attempts end. */
class Recovery {
  readonly #outage: Outage;

  /** @param wasSilent else the store has refused a call */
  constructor(wasSilent: boolean, sinceBackMs: number) {
    const lease = new LoneLease({ timeoutMs: TIMEOUT_MS, localShare: 1 });
    if (sinceBackMs < LONG_AGO_MS) lease.state = { ...lease.state, backAtMs: -sinceBackMs };
    const silent = wasSilent ? { state: 'given up' as const } : {};
    lease.step(0, undefined, { call: lease.peek(0), sentAtMs: 0, error: new Error(), ...silent });
    this.#outage = { ...(lease.state as { outage: Outage }).outage };
  }

  get isBack(): boolean {
    return this.#outage.isBack;
  }

  answered(sentAtMs: number, nowMs: number, { state, tooLate = false }: Ended = {}): void {
    const told = state === 'given up' ? undefined : ({ ...reply({ tooLate }) } as Reply);
    const call = { mode: 'peek' as const };
    attemptEnded(this.#outage, { call, sentAtMs } as unknown as OpenCall, told, state, nowMs);
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
