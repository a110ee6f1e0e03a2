import { expect, test } from 'vitest';
import { LoneLease, reply, type Told } from '../test/lone-lease.ts';
import type { StoreCall, Who } from './store-call.ts';

/** The share of a process, of which so many are expected. */
class Membership extends LoneLease {
  constructor(expected = 0) {
    super({ processes: { expected } });
  }

  get lookAtMs(): number {
    return this.state.member.lookAtMs;
  }

  used(nowMs: number): void {
    this.tell({ type: 'used' }, nowMs);
  }

  /** What the next call claims. */
  next(nowMs: number): Who | undefined {
    return this.peek(nowMs).who;
  }

  /** The store says this to a call. */
  answered(call: StoreCall, sentAtMs: number, nowMs: number, told: Told): void {
    this.step(nowMs, undefined, { call, sentAtMs, reply: reply({ epoch: 1, ...told }) });
  }

  /** The same to a call that is sent then. Returns what the call has claimed. */
  confirm(sentAtMs: number, share: number, processes: number): Who | undefined {
    const call = this.peek(sentAtMs);
    this.answered(call, sentAtMs, sentAtMs + 1, { share, processes });
    return call.who;
  }

  /** A call that is sent then finds the store lost. */
  lost(atMs: number): void {
    const call = this.peek(atMs);
    this.step(atMs, undefined, { call, sentAtMs: atMs, error: new Error('gone') });
  }
}

test.each([
  ['a 64th', 0, 1 / 64],
  ['its part of those that are expected', 4, 1 / 4],
])('of a share that was not renewed in time %s is used, and nothing is claimed', (_, expected, left) => {
  const membership = new Membership(expected);
  expect(membership.shareAt(0)).toBe(0);
  expect(membership.confirm(0, 540_000, 1)).toMatchObject({ held: 0 });
  expect(membership.shareAt(6_000)).toBe(0.54);
  expect(membership.shareAt(10_000)).toBe(left);
  expect(membership.next(10_000)).toMatchObject({ held: 0 });
  // The call is the one that finds the store lost.
  membership.lost(10_000);
  expect(membership.shareAt(1e9)).toBe(left);
  expect(membership.next(1e9)).toMatchObject({ held: left * 1e6 });
});

test('what was held when the store was lost is in use until it is back', () => {
  const membership = new Membership();
  membership.confirm(0, 540_000, 1);
  membership.lost(8_000);
  expect(membership.shareAt(1e9)).toBe(0.54);
});

test('a smaller share than a 64th does not grow by being forgotten', () => {
  const membership = new Membership();
  membership.confirm(0, 2_000, 500);
  expect(membership.shareAt(1e6)).toBe(0.002);
});

test('in an outage it is, and a reply that was overtaken changes nothing', () => {
  const membership = new Membership();
  membership.confirm(0, 500_000, 2);
  membership.lost(1_000);
  const overtaken = membership.peek(20_000);
  expect(overtaken.who).toMatchObject({ held: 500_000 });
  membership.confirm(20_001, 250_000, 4);
  membership.answered(overtaken, 20_000, 20_003, { share: 500_000, processes: 2 });
  expect(membership.shareAt(20_003)).toBe(0.25);
});

/** Looks at the last moment each time, and has requests that need the store. Returns how often it looked. */
function look(processes: number, needsEveryMs: number): number {
  const membership = new Membership();
  const share = Math.floor(1e6 / processes);
  let [looks, needsAtMs, countedAtMs] = [0, 0, 0];
  for (let nowMs = 0; nowMs < 1_200_000; nowMs = Math.min(needsAtMs, membership.lookAtMs)) {
    const isNeeded = nowMs === needsAtMs;
    if (isNeeded) {
      membership.used(nowMs);
      needsAtMs += needsEveryMs;
    } else looks += 1;
    const call = membership.peek(nowMs);
    // A look is not made for nothing.
    expect(isNeeded || call.who !== undefined).toBe(true);
    membership.answered(call, nowMs, nowMs + 240, { share: call.who && share, processes });
    if (call.who !== undefined) countedAtMs = nowMs;
    // The store holds the share until the next call is there; of a quiet process for two minutes.
    const heldUntilMs = Math.min(membership.lookAtMs + 1_000, countedAtMs + 120_000);
    expect(membership.shareAt(heldUntilMs)).toBe(share / 1e6);
  }
  return looks;
}

test.each([1, 32, 500, 5_000])('a share is renewed before it expires (%i processes)', (processes) => {
  for (const everyMs of [1_500, 4_900, 7_000, 60_000, 1e9]) look(processes, everyMs);
});

test.each([
  [1, 100],
  [32, 4_900],
  [500, 490],
])(
  'a process that needs the store often renews its share by the way (%i processes, each %i ms)',
  (processes, everyMs) => {
    expect(look(processes, everyMs)).toBe(0);
  },
);

test.each([
  [1, 1e9],
  [1, 300_000],
  [32, 60_000],
])('a quiet process looks once (%i processes, each %i ms)', (processes, everyMs) => {
  expect(look(processes, everyMs)).toBeLessThanOrEqual(1);
});

test('a quiet process whose share is small asks for more with its next request, and makes no call for that', () => {
  const membership = new Membership();
  membership.used(0);
  membership.confirm(7_000, 100_000, 2);
  expect(membership.lookAtMs).toBe(Number.POSITIVE_INFINITY);
  expect(membership.confirm(17_000, 500_000, 2)).toMatchObject({ held: 100_000 });
  // It has its part: that is told once in a minute.
  expect(membership.next(27_000)).toBeUndefined();
});

test('a process that was quiet expects as many as it knew, so it does not take what others have who are quiet', () => {
  const membership = new Membership();
  const say = (nowMs: number, share: number, processes: number) => {
    membership.used(nowMs);
    return membership.confirm(nowMs, share, processes)?.expected;
  };
  expect(say(0, 250_000, 4)).toBe(0);
  expect(membership.confirm(7_000, 250_000, 4)).toMatchObject({ expected: 4 });
  expect(say(300_000, 250_000, 1)).toBe(4);
  expect(membership.lookAtMs).toBe(Number.POSITIVE_INFINITY);
  expect(say(600_000, 125_000, 8)).toBe(4);
  expect(say(900_000, 125_000, 1)).toBe(8);
  // Two requests in a row: it is busy again.
  membership.used(901_000);
  expect(say(904_000, 500_000, 2)).toBe(0);
});

test('a share that shrinks is confirmed before it expires, however many processes confirm theirs', () => {
  const membership = new Membership();
  membership.confirm(0, 540_000, 5_000);
  membership.confirm(membership.lookAtMs, 360_000, 5_000);
  const { lookAtMs } = membership;
  expect(membership.next(lookAtMs)).toMatchObject({ held: 360_000 });
});

test.each([
  [4_000, true],
  [6_000, false],
])('a process whose last request was %i ms ago is counted as often as a busy one: %s', (idleMs, isBusy) => {
  const membership = new Membership();
  membership.used(0);
  for (const nowMs of [0, idleMs]) membership.confirm(nowMs, 1_000_000, 1);
  expect(membership.next(idleMs + 3_000) !== undefined).toBe(isBusy);
});

test.each([
  [
    'halves with each loss, to a 64th',
    0,
    100_000,
    [540_000, 270_000, 135_000, 67_500, 33_750, 16_875, 15_625],
  ],
  ['… or to the share of one that is expected', 8, 100_000, [540_000, 270_000, 135_000, 125_000, 125_000]],
  ['… and stays once the bucket was kept for half a second', 0, 500_000, [540_000, 540_000, 540_000]],
])('the share of a process whose store forgets it %s', (_, expected, ageUs, shares) => {
  const membership = new Membership(expected);
  const held = shares.map((__, losses) => {
    const nowMs = 1_000 * losses;
    const call = membership.peek(nowMs);
    const epoch = losses * 1e6 + 1;
    membership.answered(call, nowMs, nowMs, {
      ...{ share: call.who?.held || 540_000, processes: 1, epoch, atUs: epoch + ageUs, endsUs: epoch + 1e7 },
    });
    return membership.shareAt(nowMs) * 1e6;
  });
  expect(held).toEqual(shares);
});

test.each<[name: string, ageUs: number, told: Told, share: number]>([
  ['is sure once the bucket was kept for half a second', 500_000, {}, 500_000],
  ['is not in a younger bucket', 499_999, {}, 250_000],
  ['… nor if the bucket has other processes', 500_000, { processes: 3 }, 250_000],
  ['… nor if it is another bucket', 500_000, { epoch: 2 }, 250_000],
])('a share %s, though no later call has counted it', (_, ageUs, told, share) => {
  const membership = new Membership();
  membership.answered(membership.peek(0), 0, 0, { share: 500_000, processes: 2, atUs: 2 });
  const lease = membership.peek(600);
  expect(lease.who).toBeUndefined();
  membership.answered(lease, 600, 600, { processes: 2, atUs: (told.epoch ?? 1) + ageUs, ...told });
  const count = membership.peek(3_001);
  membership.answered(count, 3_001, 3_001, { share: 500_000, processes: 2, epoch: 4e6, atUs: 4e6 + 1 });
  expect(membership.shareAt(3_001) * 1e6).toBe(share);
});
