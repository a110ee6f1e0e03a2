import { describe, expect, test, vi } from 'vitest';
import { to } from '../../../test/asks.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import type { ConcurrencyLimit, PerKey, RetryBudget } from '../../policy/limit-options.ts';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import { tokenBucket } from '../bucket/token-bucket.ts';
import { retryBudget } from '../budget/budget.ts';
import { concurrencyLimit } from '../concurrency/concurrency.ts';
import type { ObservableBucket } from '../limit.ts';
import { type BucketPerKey, type PerKeyOptions, perKey } from './per-key.ts';

const of = (tenant: string) => to('http://a.test/', { 'x-tenant': tenant });

const byTenant = (request: RequestTraits): string => request.header('x-tenant') ?? '';

type Any = ObservableBucket | ConcurrencyLimit | RetryBudget | SlotMethods;

/** A limit of the user's own, that ebb knows nothing of. */
interface SlotMethods {
  tryAcquire(): object | undefined;
}

function ownLimit(uses: number): SlotMethods {
  let left = uses;
  return {
    tryAcquire: () => {
      left -= 1;
      return left < 0 ? undefined : {};
    },
  };
}

/** A limit that allows as many uses as it says. */
interface Kind {
  make(uses: number, clock: VirtualClock): Any;
  /** How long one that was used takes to be as good as new; `undefined` if that is never known. */
  readonly idleAfterMs: number | undefined;
}

const kinds: Readonly<Record<string, Kind>> = {
  'a bucket': {
    make: (uses, clock) => tokenBucket({ refillPerSecond: 0.1, capacity: uses, clock }),
    idleAfterMs: 10_000,
  },
  'a limit': {
    make: (uses, clock) => concurrencyLimit({ maxConcurrent: uses, clock }),
    idleAfterMs: undefined,
  },
  'a budget': {
    make: (uses, clock) => retryBudget({ reserve: uses, clock }),
    idleAfterMs: 60_000,
  },
  "a limit of the user's own": { make: ownLimit, idleAfterMs: undefined },
};

/** Uses a limit once; false if it allows no more. */
function use(limit: Any): boolean {
  return 'withdraw' in limit ? limit.withdraw() : limit.tryAcquire() !== undefined;
}

/** Limits per tenant, of a kind. */
function setUp(make: Kind['make'], options: PerKeyOptions = {}) {
  const clock = virtualClock({ startMs: 0 });
  const per: PerKey<Any> = perKey(() => make(1, clock), { clock, keyOf: byTenant, ...options });
  const uses = (...tenants: readonly string[]): readonly boolean[] =>
    tenants.map((tenant) => use(per.for(of(tenant))));
  return { clock, per, uses };
}

describe.each(Object.entries(kinds))('perKey of %s', (_, { make, idleAfterMs }) => {
  test('one that is as good as new is evicted after idleMs, and no other', () => {
    const { uses, per, clock } = setUp(make, { idleMs: 1_000 });
    expect(uses('one', 'one')).toEqual([true, false]);
    const visit = (): void => {
      for (let time = 0; time < 4; time += 1) per.for(of('other'));
    };
    visit();
    clock.tick((idleAfterMs ?? 1e9) - 1);
    visit();
    expect(per.size).toBe(2);
    if (idleAfterMs === undefined) return;
    clock.tick(idleAfterMs);
    visit();
    expect(per.size).toBe(1);
  });
});

test('a warning says once that more keys are in use than maxKeys', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const { uses, clock } = setUp(ownLimit, { maxKeys: 1 });
  uses('one', 'two', 'three');
  expect(warned).toHaveBeenCalledOnce();
  // Not a second later either, when it looks for room again.
  for (const tenant of ['four', 'five']) {
    uses(tenant);
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
