import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { type DueTry, HedgeKey, leave } from './hedge-plan.ts';
import { newHedgeState } from './rule.ts';

/** Requests of a key whose delay is 10 ms, and when each was due. */
function ring() {
  const clock = virtualClock({ startMs: 0 });
  const key = new HedgeKey(newHedgeState({ quantile: 0.95, delayMs: 10, minDelayMs: 1, share: 1 }), clock);
  const due: string[] = [];
  const join = (name: string): DueTry => {
    const one = { dueMs: clock.now(), due: () => void due.push(`${name} ${clock.now()}`) } as DueTry;
    one.next = one;
    one.previous = one;
    key.join(one);
    return one;
  };
  return { clock, due, join };
}

test('the timer is armed again: for the next that is due, and after all have settled', async () => {
  const { clock, due, join } = ring();
  join('one');
  await clock.advance(4);
  const settled = join('settled');
  join('two');
  await clock.advance(3);
  join('three');
  leave(settled);
  expect(clock.pending).toBe(1);
  await clock.advance(100);
  expect(due).toEqual(['one 10', 'two 14', 'three 17']);
  expect(clock.pending).toBe(0);
  leave(join('never'));
  await clock.advance(100);
  join('four');
  await clock.advance(5);
  join('five');
  await clock.advance(100);
  expect(due.slice(3)).toEqual(['four 217', 'five 222']);
});

test('one that joins again from its own due has the timer as well', async () => {
  const { clock, due, join } = ring();
  const one = join('one');
  const said = one.due;
  one.due = () => {
    said();
    if (due.length < 3) join('again');
  };
  await clock.advance(100);
  expect(due).toEqual(['one 10', 'again 20']);
});
