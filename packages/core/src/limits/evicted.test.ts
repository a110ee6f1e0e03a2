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

test('a value that is held is found again, once', () => {
  const evicted = new Evicted<object>(unused);
  const one = {};
  evicted.add('key', one);
  expect(evicted.recall('key')).toBe(one);
  expect(evicted.recall('key')).toBeUndefined();
  expect(evicted.size).toBe(0);
});

test('values that nothing refers to leave nothing behind', async () => {
  const evicted = new Evicted<object>(unused);
  const held = Array.from({ length: 100 }, () => ({}));
  for (const [index, one] of held.entries()) evicted.add(`held ${index}`, one);
  for (let batch = 0; batch < 20; batch += 1) {
    for (let key = 0; key < 1_000; key += 1) evicted.add(`${batch} ${key}`, {});
    await forget();
  }
  // Each addition inspects two references, so two batches may be left, and those that are held.
  expect(evicted.size).toBeLessThanOrEqual(2_000 + held.length);
  for (const [index, one] of held.entries()) expect(evicted.recall(`held ${index}`)).toBe(one);
});
