import { afterEach, expect, test } from 'vitest';
import { createPolicy, retry, retryBudget, tokenBucket } from '../index.ts';

const names = ['check', 'required', 'default', 'defaultOf', 'capacity'];
const prototype = Object.prototype as unknown as Record<string, unknown>;
afterEach(() => {
  for (const name of names) delete prototype[name];
});

test.each(names.flatMap((name) => [1, () => 1].map((value) => [name, typeof value, value] as const)))(
  'options are read as ever if all objects have %s, a %s',
  async (name, _, value) => {
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
    const { maxRetries, backoff } = createPolicy({});
    const bucket = tokenBucket({ refillPerSecond: 5 });
    const budget = retryBudget();
    const result = await retry(() => 'up', { bucket, budget });
    delete prototype[name];
    expect(maxRetries).toBe(createPolicy().maxRetries);
    expect(backoff).toBeTypeOf('function');
    expect(bucket.stats()).toMatchObject({ granted: 1 });
    expect([result, budget.balance]).toEqual(['up', retryBudget().balance]);
  },
);
