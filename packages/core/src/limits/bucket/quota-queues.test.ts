import { expect, test } from 'vitest';
import { fairQueue } from '../../queue/fair-queue.ts';
import { virtualClock } from '../../testing.ts';
import { quotaBucket } from './quota-bucket.ts';

const limits = {
  requests: { refillPerSecond: 10, capacity: 10, initialTokens: 0 },
  tokens: { refillPerSecond: 1_000, capacity: 1_000, initialTokens: 0 },
};

test('a fair queue gives each key the same share of what it uses most', async () => {
  const clock = virtualClock({ startMs: 0 });
  const bucket = quotaBucket({ limits, clock, queue: fairQueue() });
  const used: Record<string, number> = { few: 0, many: 0 };
  const ask = async (fairKey: string, cost: { requests: number; tokens: number }): Promise<void> => {
    for (;;) {
      await bucket.acquire({ fairKey, cost });
      used[fairKey] = (used[fairKey] ?? 0) + Math.max(cost.requests / 10, cost.tokens / 1_000);
    }
  };
  // Large requests use tokens most, small ones requests.
  for (let caller = 0; caller < 5; caller += 1) {
    void ask('few', { requests: 1, tokens: 400 });
    void ask('many', { requests: 1, tokens: 10 });
  }
  await clock.advance(600_000);
  const { few = 0, many = 0 } = used;
  expect(few / (few + many)).toBeCloseTo(0.5, 2);
});
