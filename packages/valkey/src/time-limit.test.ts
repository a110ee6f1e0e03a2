import { nextTurn } from '@ebb/core/bucket';
import { expect, test, vi } from 'vitest';
import { timeLimit } from './store-client.ts';

/** A clock whose timers fire by hand, as late timers do after the event loop was blocked. */
function lateClock() {
  const timers: { wake: () => void; delayMs: number }[] = [];
  return {
    timers,
    now: () => 0,
    schedule: (wake: () => void, delayMs: number) => {
      const timer = { wake, delayMs };
      timers.push(timer);
      return () => timers.splice(timers.indexOf(timer) >>> 0, 1);
    },
    fire: () => timers.shift()?.wake(),
  };
}

test('a blocked event loop counts as one part of the limit', async () => {
  const clock = lateClock();
  const onLate = vi.fn();
  timeLimit(clock, 200, onLate);
  for (let part = 0; part < 4; part += 1) {
    expect(clock.timers).toMatchObject([{ delayMs: 50 }]);
    expect(onLate).not.toHaveBeenCalled();
    clock.fire();
    await nextTurn();
  }
  expect(onLate).toHaveBeenCalledOnce();
  expect(clock.timers).toEqual([]);
});

test('an event in the turn in which the limit is reached is in time', async () => {
  const clock = lateClock();
  const onLate = vi.fn();
  const stop = timeLimit(clock, 200, onLate);
  for (let part = 0; part < 4; part += 1) clock.fire();
  stop();
  await nextTurn();
  expect(onLate).not.toHaveBeenCalled();
});

test('cancelling leaves no timer', () => {
  const clock = lateClock();
  timeLimit(clock, 200, () => {})();
  expect(clock.timers).toEqual([]);
});
