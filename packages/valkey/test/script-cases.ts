import type { StoreCall, Who } from '../src/store-call.ts';
import type { Limits, Step, Told } from './script-player.ts';

// Each rule of the bucket's script as a row, which holds for the script and for its model.

export interface ScriptCase {
  readonly says: string;
  /** Of each process; most rows have {@link SLOW}. */
  readonly limits?: (caller: string) => Limits;
  readonly steps: readonly Step[];
}

const micro = (tokens: number): number => Math.ceil(tokens * 1e6);

const at = (atMs: number, by: string, call: StoreCall, told?: Partial<Told>): Step => ({
  ...{ atMs, by, call },
  ...(told && { told }),
});

/** Leases at least `least` of the tokens, at most `most` of those that are there, and `future` of those to come. */
function lease(
  least: number,
  {
    most = least,
    future = 0,
    withinMs = 0,
    ...more
  }: { most?: number; future?: number; withinMs?: number; spent?: number; who?: Who } = {},
): StoreCall {
  return {
    ...{ mode: 'lease', minAmounts: [micro(least)], maxAvailable: [micro(most)], maxFuture: [micro(future)] },
    withinMs,
    ...(more.spent !== undefined && { spent: [micro(more.spent)] }),
    ...(more.who && { who: more.who }),
  };
}

/** Gives back tokens of a lease: that of the so manyth call of the same process. */
const refund = (
  atMs: number,
  by: string,
  back: readonly [call: number, tokens: number],
  told: Partial<Told>,
): Step => ({
  ...{ atMs, by, call: { mode: 'refund', leases: [] }, back: [back], told },
});

const peek = (who?: Who): StoreCall => ({ mode: 'peek', who });
const spend = (amount: number): StoreCall => ({ mode: 'spend', amounts: [micro(amount)] });
const pause = (durationMs: number): StoreCall => ({ mode: 'pause', durationMs });
const resume = (outageMs: number, handoverMs: number, who?: Who): StoreCall => ({
  ...{ mode: 'resume', outageMs, handoverMs, who },
});

/** A process tells that it holds so much of the quota, for so long. */
const who = (name: string, held: number, holdsMs = 10_000, expected = 0): Who => ({
  ...{ name: `process${name}`, held: held * 1e6, holdsMs, expected },
});

/** A second of refill fills a hundredth of it. */
export const SLOW: Limits = { refillPerSecond: 1, capacity: 100 };

export const SCRIPT_CASES: readonly ScriptCase[] = [
  {
    says: 'the first call finds a full bucket; a lease takes half of what is there at most, but its least in any case',
    steps: [
      at(0, 'a', lease(1, { most: 80 }), { granted: [50], tokens: [50] }),
      at(0, 'b', lease(40, { most: 80 }), { granted: [40], tokens: [10] }),
      at(0, 'b', lease(1, { most: 2 }), { granted: [2], tokens: [8] }),
    ],
  },
  {
    says: 'tokens come in at the rate, up to the capacity',
    steps: [
      at(0, 'a', lease(40), { tokens: [60] }),
      at(5_000, 'a', peek(), { tokens: [65] }),
      at(500_000, 'a', peek(), { tokens: [100] }),
    ],
  },
  {
    says: 'what would come later than it may wait is refused, and told when asking again is of use',
    steps: [
      at(0, 'a', lease(100), { granted: [100] }),
      at(0, 'a', lease(3, { withinMs: 1_000 }), { granted: [0], waitMs: 2_000 }),
      at(2_000, 'a', lease(3, { withinMs: 1_000 }), { granted: [3], tokens: [-1], waitMs: 0 }),
    ],
  },
  {
    says: 'tokens to come are leased as well, one stretch after the other',
    steps: [
      at(0, 'a', lease(100)),
      at(0, 'a', lease(1, { future: 4, withinMs: 9_000 }), { granted: [4], tokens: [-4] }),
      at(0, 'b', lease(1, { withinMs: Number.POSITIVE_INFINITY }), { granted: [1], tokens: [-5] }),
    ],
  },
  {
    says: 'the average lease is of those who wait, over about eight leases',
    steps: [
      at(0, 'a', lease(100), { averageLease: [0] }),
      at(0, 'a', lease(1, { withinMs: 9_000 }), { averageLease: [0] }),
      at(0, 'a', lease(8, { withinMs: 9_000 }), { averageLease: [8] }),
      at(0, 'b', lease(1, { future: 16, withinMs: 60_000 }), { averageLease: [9] }),
    ],
  },
  {
    says: 'what a lease did not spend is given back, and other tokens are not, however often it is told',
    steps: [
      at(0, 'a', lease(40)),
      refund(0, 'a', [0, 40], { tokens: [100] }),
      at(0, 'a', lease(40)),
      refund(0, 'a', [0, 40], { tokens: [60] }),
      refund(0, 'a', [2, 10], { tokens: [70] }),
    ],
  },
  {
    says: 'a lease returns unspent tokens of others with it, and charges',
    steps: [
      at(0, 'a', lease(40)),
      {
        atMs: 0,
        by: 'a',
        call: lease(5, { spent: 3 }),
        back: [[0, 30]],
        told: { granted: [5], tokens: [82] },
      },
    ],
  },
  {
    says: 'tokens of a lease from before a loss are not given back',
    steps: [
      at(0, 'a', lease(40)),
      'lose',
      at(1_000, 'a', peek(), { tokens: [61] }),
      refund(1_000, 'a', [0, 40], { tokens: [61] }),
    ],
  },
  {
    says: 'nor any into a paused bucket',
    steps: [
      at(0, 'a', lease(40)),
      at(0, 'a', pause(10_000), { tokens: [-10] }),
      refund(0, 'a', [0, 40], { tokens: [-10] }),
    ],
  },
  {
    says: 'a pause, and the time until the bucket serves again after an outage, survive a loss',
    steps: [
      at(0, 'a', pause(10_000)),
      at(0, 'a', resume(0, 20_000)),
      'lose',
      at(1_000, 'a', peek(), { pausedMs: 9_000, closedMs: 19_000 }),
    ],
  },
  {
    says: 'a debt takes no longer to pay than the caller says, here a minute',
    steps: [
      at(0, 'a', spend(120), { tokens: [-20] }),
      at(0, 'a', spend(120), { tokens: [-60] }),
      at(0, 'a', lease(1, { withinMs: 70_000, spent: 5 }), { granted: [1], tokens: [-61] }),
    ],
  },
  {
    says: 'a pause empties the bucket, and another one does not shorten it; its end gives back what it took',
    steps: [
      at(0, 'a', lease(40)),
      at(0, 'a', pause(10_000), { tokens: [-10], pausedMs: 10_000 }),
      at(1_000, 'b', pause(2_000), { pausedMs: 9_000 }),
      at(2_000, 'b', { mode: 'unpause' }, { tokens: [0], pausedMs: 0 }),
      at(3_000, 'a', peek(), { tokens: [1] }),
    ],
  },
  {
    says: 'a pause is of the unit that fills first, and what is owed stays owed',
    limits: () => ({
      slow: { refillPerSecond: 1, capacity: 100 },
      fast: { refillPerSecond: 10, capacity: 10 },
    }),
    steps: [
      at(0, 'a', pause(10_000), { tokens: [100, -100], pausedMs: 10_000 }),
      at(0, 'a', { mode: 'spend', amounts: [0, micro(5)] }, { tokens: [100, -105] }),
      at(5_000, 'a', pause(10_000), { tokens: [100, -105 - 50 + 50] }),
    ],
  },
  {
    says: 'after an outage the first one closes the bucket until the others are back',
    steps: [
      at(0, 'a', lease(1)),
      at(10_000, 'a', resume(10_000, 1_000), { closedMs: 1_000, tokens: [-1] }),
      at(10_500, 'b', resume(10_000, 1_000), { closedMs: 500, tokens: [-0.5] }),
    ],
  },
  {
    says: 'who was away alone does not close the bucket of the others',
    steps: [
      at(0, 'a', lease(1)),
      at(9_000, 'b', lease(1)),
      at(10_000, 'a', resume(10_000, 1_000), { closedMs: 0, tokens: [100] }),
    ],
  },
  {
    says: 'a call that comes after its time does nothing',
    steps: [
      at(0, 'a', lease(40)),
      { atMs: 1_001, by: 'a', call: lease(5), untilMs: 1_000, told: { isLate: true, granted: [0] } },
      at(1_001, 'b', peek(), { tokens: [61.001] }),
    ],
  },
  {
    says: 'a clock that is set back by more than a second is made up for; a smaller step is waited out',
    steps: [
      at(10_000, 'a', lease(40), { tokens: [60] }),
      at(9_500, 'a', peek(), { tokens: [60], shiftMs: 0 }),
      at(4_000, 'a', peek(), { tokens: [60] }),
      at(4_000, 'a', lease(1), { tokens: [59], shiftMs: 6_000 }),
      at(5_000, 'a', peek(), { tokens: [60] }),
    ],
  },
  {
    says: 'a clock that is set ahead is made up for by a process that has measured another time',
    steps: [
      at(0, 'a', lease(40)),
      { atMs: 60_000, by: 'a', call: lease(1), proposedMs: 1_000, told: { tokens: [60], shiftMs: -59_000 } },
      at(61_000, 'a', peek(), { tokens: [61] }),
    ],
  },
  {
    says: 'after a loss the first one restores what it knows, and the others what it did not',
    steps: [
      at(0, 'a', lease(40)),
      at(0, 'b', lease(50)),
      'lose',
      at(1_000, 'a', peek(), { tokens: [61], isLost: true }),
      at(1_000, 'b', peek(), { tokens: [11], isLost: true }),
      at(1_000, 'a', peek(), { tokens: [11], isLost: false }),
    ],
  },
  {
    says: 'a replica that lacks the last writes is a loss as well',
    steps: [
      at(0, 'a', lease(40)),
      'copy',
      at(1_000, 'a', lease(30)),
      'put the copy',
      at(2_000, 'a', peek(), { tokens: [32], isLost: true }),
    ],
  },
  {
    says: 'two buckets that began without each other add up',
    steps: [
      at(0, 'a', lease(40)),
      'lose',
      at(1_000, 'b', lease(50), { tokens: [50] }),
      at(1_000, 'a', peek(), { tokens: [11] }),
    ],
  },
  {
    says: '… at the times of the second one if the clock was set back meanwhile',
    steps: [
      at(10_000, 'a', lease(40, { who: who('a', 0.5, 20_000) })),
      at(4_000, 'a', pause(9_000), { tokens: [-9], shiftMs: 6_000 }),
      'lose',
      at(4_000, 'b', lease(50), { tokens: [50], shiftMs: 0 }),
      at(5_000, 'a', peek(), { tokens: [-58], pausedMs: 8_000, shares: 0.5 }),
    ],
  },
  {
    says: '… or ahead',
    steps: [
      at(10_000, 'a', lease(40, { who: who('a', 0.5, 20_000) })),
      { atMs: 90_000, by: 'a', call: pause(9_000), proposedMs: 11_000, told: { shiftMs: -79_000 } },
      'lose',
      at(90_000, 'b', lease(50), { tokens: [50], shiftMs: 0 }),
      at(91_000, 'a', peek(), { tokens: [-58], pausedMs: 8_000, shares: 0.5 }),
    ],
  },
  {
    says: 'a bucket that expired is none, for a call that does nothing',
    steps: [at(0, 'a', peek(), { isThere: false }), at(0, 'a', lease(1), { isThere: true })],
  },
  {
    says: 'a newcomer has half of what is free at most; a share grows to an equal part later',
    steps: [
      at(0, 'a', peek(who('a', 0)), { share: 0.54, processes: 1 }),
      at(0, 'b', peek(who('b', 0)), { share: 0.27, processes: 2 }),
      at(100, 'a', peek(who('a', 0.54)), { share: 0.5, processes: 2, shares: 0.81 }),
      at(200, 'a', peek(who('a', 0.5)), { share: 0.5, shares: 0.77 }),
      at(300, 'b', peek(who('b', 0.27)), { share: 0.27 }),
      at(500, 'b', peek(who('b', 0.27)), { share: 0.5, shares: 1 }),
    ],
  },
  {
    says: 'a large share shrinks by a third at a time, and stays recorded until its process confirms the smaller one',
    steps: [
      at(0, 'a', peek(who('a', 0))),
      at(600, 'a', peek(who('a', 0.54)), { share: 1, shares: 1 }),
      at(700, 'b', peek(who('b', 0)), { share: 0.04 }),
      at(800, 'a', peek(who('a', 1)), { share: 0.667, shares: 1.04 }),
      at(900, 'a', peek(who('a', 0.66)), { share: 0.5, shares: 0.7 }),
    ],
  },
  {
    says: 'no share is larger than that of as many as are expected',
    steps: [
      at(0, 'a', peek(who('a', 0, 10_000, 4)), { share: 0.25, processes: 1 }),
      at(600, 'a', peek(who('a', 0.25, 10_000, 8)), { share: 0.167 }),
    ],
  },
  {
    says: 'who leaves, or is not heard of for as long as it said, has no share',
    steps: [
      at(0, 'a', peek(who('a', 0, 1_000))),
      at(0, 'b', peek(who('b', 0)), { shares: 0.81 }),
      at(1_001, 'b', peek(who('b', 0.27)), { share: 1, processes: 1, shares: 1 }),
      at(1_002, 'b', peek(who('b', 1, 0)), { share: 0, shares: 0 }),
    ],
  },
  {
    says: 'who leaves a bucket that has been full for a while has no share either',
    limits: () => ({ refillPerSecond: 1_000, capacity: 1 }),
    steps: [
      at(0, 'a', lease(1, { who: who('a', 0) }), { share: 0.54 }),
      at(5_000, 'a', peek(who('a', 0.54, 0)), { share: 0, shares: 0 }),
    ],
  },
  {
    says: 'a call that comes late is counted',
    steps: [
      at(0, 'a', peek(who('a', 0, 1_000))),
      {
        atMs: 900,
        by: 'a',
        call: peek(who('a', 0.54, 1_000)),
        untilMs: 800,
        told: { isLate: true, share: 1 },
      },
      at(1_500, 'b', peek(who('b', 0)), { processes: 2 }),
    ],
  },
  {
    says: 'but after a loss it restores nothing, and is not',
    steps: [
      at(0, 'a', lease(40, { who: who('a', 0) })),
      'lose',
      {
        atMs: 900,
        by: 'a',
        call: peek(who('a', 0.54)),
        untilMs: 800,
        told: { isLate: true, isThere: false },
      },
      at(900, 'b', peek(who('b', 0)), { processes: 1, share: 0.54 }),
    ],
  },
  {
    says: 'shares from before a loss stay reserved until their processes come again, or they expire',
    steps: [
      at(0, 'a', peek(who('a', 0))),
      at(0, 'b', peek(who('b', 0)), { shares: 0.81 }),
      'lose',
      at(100, 'b', peek(who('b', 0.27)), { share: 0.27, processes: 2, shares: 0.81 }),
      at(200, 'c', peek(who('c', 0)), { share: 0.135, processes: 3 }),
      at(300, 'a', peek(who('a', 0.54)), { share: 0.36, processes: 3, shares: 0.945 }),
      at(10_001, 'c', peek(who('c', 0.135)), { processes: 3 }),
    ],
  },
  {
    says: 'shares that expired during an outage are in use: they are held until their processes are back',
    steps: [
      at(0, 'a', peek(who('a', 0, 1_000))),
      at(0, 'b', peek(who('b', 0, 1_000)), { shares: 0.81 }),
      at(5_000, 'a', resume(5_000, 1_000, who('a', 0.54)), { processes: 2, shares: 0.81 }),
      at(7_999, 'c', peek(who('c', 0)), { processes: 3 }),
      at(8_001, 'c', peek(who('c', 0)), { processes: 2 }),
    ],
  },
  {
    says: 'after a loss too',
    steps: [
      at(0, 'a', peek(who('a', 0, 1_000))),
      at(0, 'b', peek(who('b', 0, 1_000)), { shares: 0.81 }),
      'lose',
      at(5_000, 'b', resume(5_000, 1_000, who('b', 0.27)), { processes: 2, shares: 0.81 }),
    ],
  },
  {
    says: 'the limits that a process declares last hold, and the tokens that are there stay',
    limits: (caller) => (caller === 'a' ? SLOW : { refillPerSecond: 2, capacity: 50 }),
    steps: [
      at(0, 'a', lease(70), { tokens: [30], version: 1 }),
      at(0, 'b', peek(), { tokens: [30], version: 2 }),
      at(10_000, 'a', peek(), { tokens: [50], version: 2, rates: [2] }),
    ],
  },
  {
    says: 'limits that were changed survive a loss',
    limits: (caller) => (caller === 'b' ? { refillPerSecond: 2, capacity: 50 } : SLOW),
    steps: [
      at(0, 'a', lease(70)),
      at(0, 'b', peek(), { version: 2 }),
      'lose',
      at(1_000, 'c', lease(10), { version: 1, rates: [1] }),
      at(1_000, 'b', peek(), { version: 2, rates: [2] }),
    ],
  },
  {
    says: 'processes may have units of their own, and share those with the same name',
    limits: (caller) =>
      caller === 'a' ? { x: SLOW, y: SLOW } : { y: SLOW, z: { refillPerSecond: 1, capacity: 5 } },
    steps: [
      at(0, 'a', { mode: 'spend', amounts: [micro(10), micro(20)] }, { tokens: [90, 80], version: 1 }),
      at(0, 'b', { mode: 'spend', amounts: [micro(30), micro(1)] }, { tokens: [50, 4], version: 3 }),
      at(0, 'a', peek(), { tokens: [90, 50] }),
    ],
  },
];
