import { expect, test } from 'vitest';
import { JobCosts } from './job-costs.ts';

test('each answer to a request says what its own attempt has spent, once, in any order', () => {
  const spent = new JobCosts();
  const lastStamp = 0xff_ffff;
  spent.put(7, lastStamp, { output: 1 });
  spent.put(7, 0, { output: 2 });
  spent.put(8, 0, { output: 3 });
  expect(spent.take(7, 0)).toEqual({ output: 2 });
  expect(spent.take(7, 0)).toBeUndefined();
  expect(spent.take(8, 0)).toEqual({ output: 3 });
  expect(spent.take(7, lastStamp)).toEqual({ output: 1 });
});
