import { expect, test } from 'vitest';
import { KeyMap } from './key-map.ts';

const collectGarbage = globalThis.gc as () => void;

async function forget(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
}

test('evicted values that nothing refers to leave nothing behind', async () => {
  const map = new KeyMap<object>({ make: () => ({}), isIdle: () => true, maxKeys: 1, idleMs: 0 });
  const held = Array.from({ length: 100 }, (_, key) => map.find(`held ${key}`, 0));
  for (let batch = 0; batch < 20; batch += 1) {
    for (let key = 0; key < 1_000; key += 1) map.find(`${batch} ${key}`, 0);
    await forget();
  }
  expect(map.size).toBe(1);
  // Each eviction inspects two references, so two batches may be left, and those that are held.
  expect(map.evicted).toBeLessThanOrEqual(2_000 + held.length);
  for (const [key, value] of held.entries()) expect(map.find(`held ${key}`, 0)).toBe(value);
});
