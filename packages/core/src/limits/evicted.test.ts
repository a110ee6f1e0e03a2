import { expect, test } from 'vitest';
import { Evicted } from './evicted.ts';

const collectGarbage = globalThis.gc as () => void;

async function forget(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
}

const unused = (): never => {
  throw new Error('nothing was used');
};

test('what is held is found again, once', () => {
  const letGo = new Evicted<object>(unused);
  const one = {};
  letGo.add('key', one);
  expect(letGo.recall('key')).toBe(one);
  expect(letGo.recall('key')).toBeUndefined();
  expect(letGo.size).toBe(0);
});

test('of what no one holds nothing stays, however many come and go', async () => {
  const letGo = new Evicted<object>(unused);
  const held = Array.from({ length: 100 }, () => ({}));
  for (const [index, one] of held.entries()) letGo.add(`held ${index}`, one);
  for (let batch = 0; batch < 20; batch += 1) {
    for (let key = 0; key < 1_000; key += 1) letGo.add(`${batch} ${key}`, {});
    await forget();
  }
  // Each that comes looks at two: those of two batches, and those that are held.
  expect(letGo.size).toBeLessThanOrEqual(2_000 + held.length);
  for (const [index, one] of held.entries()) expect(letGo.recall(`held ${index}`)).toBe(one);
});
