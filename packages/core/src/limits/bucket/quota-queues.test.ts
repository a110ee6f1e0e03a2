import { expect, test } from 'vitest';
import { fairQueue } from '../../queue/fair-queue.ts';
import { priorityQueue } from '../../queue/order.ts';
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

test('a priority queue takes costs of several units', async () => {
  const clock = virtualClock({ startMs: 0 });
  const bucket = quotaBucket({ limits, clock, queue: priorityQueue() });
  const order: string[] = [];
  const ask = (name: string, priority: number, cost: { requests: number; tokens: number }): void => {
    void bucket.acquire({ priority, cost }).then(() => order.push(name));
  };
  ask('low', -1, { requests: 1, tokens: 10 });
  ask('middle', 0, { requests: 1, tokens: 500 });
  ask('high', 1, { requests: 2, tokens: 10 });
  expect(bucket.stats().waitingCost).toBe(4);
  await clock.advance(2_000);
  expect(order).toEqual(['high', 'middle', 'low']);
});
