import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { virtualClock } from '../testing.ts';
import { Sleepers } from './sleepers.ts';

const SLICE = 100;

/** Sleepers on a virtual clock, in an event loop that takes its turns when told. */
function bedroom() {
  const clock = virtualClock({ startMs: 0 });
  const turns: (() => void)[] = [];
  const sleepers = new Sleepers(clock, () => new Promise((resolve) => turns.push(resolve)));
  /** Takes the place of those who have a timer of their own. */
  const fill = () => {
    for (let one = 0; one < SLICE; one += 1) sleepers.schedule(() => undefined, 1e9);
  };
  const takeTurn = async () => {
    for (const begin of turns.splice(0)) begin();
    await Promise.resolve();
  };
  return { clock, turns, sleepers, fill, takeTurn };
}

test('a few have a timer each', () => {
  const { clock, sleepers, turns } = bedroom();
  const wake = vi.fn();
  const cancels = Array.from({ length: SLICE }, () => sleepers.schedule(wake, 10));
  expect(clock.pending).toBe(SLICE);
  cancels[3]?.();
  expect(clock.pending).toBe(SLICE - 1);
  clock.tick(10);
  expect(wake).toHaveBeenCalledTimes(SLICE - 1);
  expect(turns).toEqual([]);
});

test('places of those who woke or left are free again', () => {
  const { clock, sleepers } = bedroom();
  for (let round = 0; round < 3; round += 1) {
    const cancels = Array.from({ length: SLICE }, () => sleepers.schedule(() => undefined, 10));
    for (const cancel of cancels.slice(0, SLICE / 2)) cancel();
    expect(clock.pending).toBe(SLICE / 2);
    clock.tick(10);
  }
});

test('a crowd that is due at once shares a timer, and a hundred of it wake in a turn, in order', async () => {
  const { clock, sleepers, fill, takeTurn } = bedroom();
  fill();
  const woken: number[] = [];
  for (let one = 0; one < 1_050; one += 1) sleepers.schedule(() => woken.push(one), 10);
  expect(clock.pending).toBe(SLICE + 1);
  clock.tick(9);
  expect(woken).toEqual([]);
  clock.tick(1);
  const perTurn = [woken.length];
  while (woken.length < 1_050) {
    await takeTurn();
    perTurn.push(woken.length - perTurn.reduce((sum, count) => sum + count));
  }
  expect(perTurn).toEqual([...new Array(10).fill(SLICE), 50]);
  expect(woken).toEqual(Array.from({ length: 1_050 }, (_, index) => index));
});

test('crowds that are due one after the other share the turns', async () => {
  const { clock, sleepers, fill, takeTurn } = bedroom();
  fill();
  const woken: number[] = [];
  for (const dueMs of [12, 10, 11]) {
    for (let one = 0; one < 150; one += 1) sleepers.schedule(() => woken.push(dueMs), dueMs);
  }
  clock.tick(12);
  expect(woken).toHaveLength(SLICE);
  for (let turn = 2; turn <= 5; turn += 1) {
    await takeTurn();
    expect(woken.length).toBeLessThanOrEqual(turn * SLICE);
  }
  expect(woken).toEqual([10, 11, 12].flatMap((dueMs) => new Array(150).fill(dueMs)));
});

test('crowds that are smaller than a slice share the turn', async () => {
  const { clock, sleepers, fill, takeTurn } = bedroom();
  fill();
  let woken = 0;
  for (let one = 0; one < 300; one += 1) {
    sleepers.schedule(
      () => {
        woken += 1;
      },
      10 + (one % 10),
    );
  }
  // As after something has held the event loop: all are due in the same turn.
  clock.tick(20);
  const perTurn = [woken];
  while (woken < 300) {
    const before = woken;
    await takeTurn();
    perTurn.push(woken - before);
  }
  expect(perTurn).toEqual([30, SLICE, SLICE, 70]);
});

test('those who leave do not wake, and the last one takes the timer along', async () => {
  const { clock, sleepers, fill, takeTurn } = bedroom();
  fill();
  const wake = vi.fn();
  const schedule = () => Array.from({ length: 300 }, () => sleepers.schedule(wake, 10));
  for (const cancel of schedule()) cancel();
  expect(clock.pending).toBe(SLICE);

  const cancels = schedule();
  clock.tick(10);
  for (const cancel of cancels.slice(SLICE)) cancel();
  await takeTurn();
  expect(wake).toHaveBeenCalledTimes(SLICE);
});

test('one whose wake-up throws does not keep the others asleep', async () => {
  const { clock, sleepers, fill, takeTurn } = bedroom();
  fill();
  const wake = vi.fn();
  sleepers.schedule(() => {
    throw new Error('boom');
  }, 10);
  for (let one = 0; one < 50; one += 1) sleepers.schedule(wake, 10);
  expect(() => clock.tick(10)).toThrow('boom');
  await takeTurn();
  expect(wake).toHaveBeenCalledTimes(50);
});

test('a turn that never comes does not keep those asleep who are due later', async () => {
  const { clock, sleepers, fill, turns, takeTurn } = bedroom();
  fill();
  const wake = vi.fn();
  for (const delayMs of [10, 1_000, 1_010, 1_011]) {
    for (let one = 0; one < 150; one += 1) sleepers.schedule(wake, delayMs);
  }
  clock.tick(1_010);
  expect(wake).toHaveBeenCalledTimes(SLICE);
  const lost = turns.splice(0);
  clock.tick(1);
  expect(wake).toHaveBeenCalledTimes(2 * SLICE);
  // It comes after all: the turns of the others go on.
  turns.push(...lost);
  await takeTurn();
  expect(wake).toHaveBeenCalledTimes(3 * SLICE);
});

test('each wakes once, never early, and the crowd in order', async () => {
  const step = fc.record({ delayMs: fc.double({ min: 0, max: 5, noNaN: true }), leavesAtMs: fc.nat(8) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 200, maxLength: 400 }), async (steps) => {
      const { clock, sleepers, fill, turns, takeTurn } = bedroom();
      fill();
      const dueMs: number[] = [];
      const awake = new Set<number>();
      const cancels = steps.map(({ delayMs }, id) =>
        sleepers.schedule(() => {
          expect(clock.now()).toBeGreaterThanOrEqual(delayMs);
          expect(awake.has(id)).toBe(false);
          awake.add(id);
          dueMs.push(Math.ceil(delayMs));
        }, delayMs),
      );
      const left = new Set<number>();
      for (let nowMs = 1; nowMs <= 6 || turns.length > 0; nowMs += 1) {
        const before = awake.size;
        clock.tick(1);
        await takeTurn();
        // A slice in the turn of the tick, and one in the next.
        expect(awake.size - before).toBeLessThanOrEqual(2 * SLICE);
        steps.forEach(({ leavesAtMs }, id) => {
          if (leavesAtMs !== nowMs || awake.has(id)) return;
          cancels[id]?.();
          left.add(id);
        });
      }
      expect(awake.size + left.size).toBe(steps.length);
      expect([...awake].some((id) => left.has(id))).toBe(false);
      expect(dueMs).toEqual(dueMs.toSorted((one, other) => one - other));
      expect(clock.pending).toBe(SLICE);
    }),
    { numRuns: 30, endOnFailure: true },
  );
});
