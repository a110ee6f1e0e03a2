import { expect, test } from 'vitest';
import { SignalWatch } from './signal-watch.ts';

test('waiters that have left do not accumulate', () => {
  const here = new Set<number>();
  let looks = 0;
  const watch = new SignalWatch<number>(
    () => () => {},
    (one) => {
      looks += 1;
      return here.has(one);
    },
    () => {},
  );
  // Ten at a time, ten thousand in total.
  for (let one = 0; one < 10_000; one += 1) {
    here.add(one);
    watch.add(one, one % 2);
    if (!here.delete(one - 10)) continue;
    watch.left();
  }
  expect(looks).toBeLessThan(40_000);
  looks = 0;
  expect([...watch.members()].map(([one, lane]) => `${one} ${lane}`)).toHaveLength(10);
  expect(looks).toBeLessThan(60);
});
