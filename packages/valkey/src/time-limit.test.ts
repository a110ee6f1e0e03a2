import { nextTurn, SteadyTime } from '@ebb/core/bucket';
import { expect, test, vi } from 'vitest';
import { inTime, timeLimit } from './store-client.ts';

/** A clock whose timers fire by hand, as late timers do after the event loop was blocked. */
function lateClock() {
  const timers: { wake: () => void; delayMs: number; inBackground: boolean }[] = [];
  return {
    timers,
    now: () => 0,
    schedule: (wake: () => void, delayMs: number, inBackground = false) => {
      const timer = { wake, delayMs, inBackground };
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

const connection = { error: () => undefined, clearError: () => {}, release: () => {} };

test.each([true, false])(
  'a call may run in the background: %s, also after its limit',
  async (inBackground) => {
    const clock = lateClock();
    let moreMs = 100;
    const outcome = inTime(() => new Promise(() => {}), {
      ...{ time: new SteadyTime(clock), connection, timeoutMs: 200, sentAtMs: 0, inBackground },
      extraMs: () => moreMs,
    });
    for (const delayMs of [50, 25]) {
      for (let part = 0; part < 4; part += 1) {
        expect(clock.timers).toMatchObject([{ delayMs, inBackground }]);
        clock.fire();
        await nextTurn();
      }
      moreMs = 0;
    }
    expect((await outcome).error).toMatchObject({ message: 'The store did not reply within 0 ms' });
  },
);

test('the error of a login is told without the password', async () => {
  const error = Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: ['secret'] } });
  const limit = { time: new SteadyTime(lateClock()), connection, timeoutMs: 200, sentAtMs: 0 };
  const outcome = await inTime(() => Promise.reject(error), limit);
  expect(outcome.error).toMatchObject({ message: 'WRONGPASS' });
  expect(outcome.error).not.toHaveProperty('command');
});
