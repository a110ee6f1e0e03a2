import { expect, test } from 'vitest';
import { memorystore } from './backoff.ts';

test('1, 2, 4 … s, then the cap', () => {
  const rule = memorystore();
  const at = (retry: number) => rule({ retry, previousDelayMs: undefined, random: () => 0 });
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(at)).toEqual([1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 64e3, 64e3]);
});
