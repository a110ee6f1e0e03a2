import { expect, test, vi } from 'vitest';
import { to } from '../../../test/asks.ts';
import type { ConcurrencyLimit, PerKey, RetryBudget } from '../../policy/limit-options.ts';
import { virtualClock } from '../../testing.ts';
import { tokenBucket } from '../bucket/token-bucket.ts';
import { retryBudget } from '../budget/budget.ts';
import { concurrencyLimit } from '../concurrency/concurrency.ts';
import type { ObservableBucket } from '../limit.ts';
import { type BucketPerKey, perKey } from './per-key.ts';

const of = (tenant: string) => to('http://a.test/', { 'x-tenant': tenant });

test('a warning says once that more keys are in use than maxKeys', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const clock = virtualClock({ startMs: 0 });
  // Nothing is known of their state, so they are in use.
  const per = perKey(() => ({}), { clock, keyOf: (request) => request.header('x-tenant') ?? '', maxKeys: 1 });
  for (const tenant of ['one', 'two', 'three']) per.for(of(tenant));
  expect(warned).toHaveBeenCalledOnce();
  // Not a second later either, when it looks for room again.
  for (const tenant of ['four', 'five']) {
    per.for(of(tenant));
    clock.tick(1_000);
  }
  expect(warned.mock.calls.map(([warning]) => (warning as Error).message)).toEqual([
    'More than 1 keys (maxKeys) of one perKey are in use',
  ]);
  warned.mockRestore();
});

test.each<[make: unknown, options: unknown, message: string]>([
  [{ refillPerSecond: 1 }, {}, 'make must be a function, got an object'],
  [retryBudget, { keyOf: 'origin' }, 'keyOf must be a function, got "origin"'],
  [retryBudget, { maxKeys: 0 }, 'maxKeys must be a whole number ≥ 1, got 0'],
])('perKey(%s, %j) is refused at once', (make, options, message) => {
  expect(() => perKey(make as () => RetryBudget, options as never)).toThrow(`perKey: ${message}`);
});

test('the types tell buckets, which can be closed, from other limits', async () => {
  const buckets: BucketPerKey<ObservableBucket> = perKey(() => tokenBucket({ refillPerSecond: 1 }));
  await Promise.all([buckets.idle(), buckets.close({ waiting: 'drain' })]);
  const limits: PerKey<ConcurrencyLimit> = perKey(() => concurrencyLimit({ maxConcurrent: 1 }));
  // @ts-expect-error: a limit is no bucket
  const wrong: PerKey<RetryBudget> = limits;
  expect(wrong.for(of('one'))).toMatchObject({ stats: expect.any(Function) });
});
