import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { ModelStore } from '../test/model-store.ts';
import { valkeyBucket } from './index.ts';

test('a process that is in use looks at the store in the background, for ten minutes after its last request', async () => {
  const time = virtualClock({ startMs: 0 });
  const store = new ModelStore(time);
  const background: boolean[] = [];
  const clock = {
    now: () => time.now(),
    schedule: (wake: () => void, delayMs: number, inBackground = false): (() => void) => {
      if (delayMs > 1_000) background.push(inBackground);
      return time.schedule(wake, delayMs, inBackground);
    },
  };
  const make = () => valkeyBucket({ client: store, key: 'k', refillPerSecond: 100, clock });
  const looks = (): number => store.calls.filter((mode) => mode === 'peek').length;
  const one = make();
  void one.acquire();
  await time.advance(60_000);
  expect(looks()).toBeGreaterThanOrEqual(3);
  expect(looks()).toBeLessThanOrEqual(7);
  // It learns of others that came later, though it sends nothing.
  const others = Array.from({ length: 7 }, make);
  for (const other of others) void other.acquire();
  await time.advance(50_000);
  expect(one.stats().processes).toBe(8);
  await Promise.all(others.map((other) => other.close()));
  await time.advance(600_000);
  const before = store.calls.length;
  expect(before).toBeLessThan(40 + 8 * 20);
  await time.advance(600_000);
  expect(store.calls.length).toBe(before);
  expect(time.pending).toBe(0);
  expect(background.length).toBeGreaterThan(5);
  expect(background).not.toContain(false);
});

test('a closed bucket leaves no timer', async () => {
  const clock = virtualClock({ startMs: 0 });
  const bucket = valkeyBucket({ client: new ModelStore(clock), key: 'k', refillPerSecond: 100, clock });
  void bucket.acquire();
  await clock.advance(30_000);
  const closed = bucket.close();
  await clock.advance(500);
  await closed;
  expect(clock.pending).toBe(0);
});
