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

const of = (tenant: string, host = 'a') => to(`http://${host}.test/`, { 'x-tenant': tenant });

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

describe.each(Object.entries(kinds))('perKey of %s', (_, { make, idleAfterMs }) => {
  function setUp(options: PerKeyOptions = {}) {
    const clock = virtualClock({ startMs: 0 });
    const made: string[] = [];
    const per: PerKey<Any> = perKey(
      (key) => {
        made.push(key);
        return make(key === 'large' ? 2 : 1, clock);
      },
      { clock, ...options },
    );
    const uses = (...requests: readonly RequestTraits[]): readonly boolean[] =>
      requests.map((request) => use(per.for(request)));
    return { clock, made, per, uses };
  }

  test('by default the key is the origin', () => {
    const { uses, made } = setUp();
    expect(uses(of('one'), of('two'), of('two', 'b'))).toEqual([true, false, true]);
    expect(made).toEqual(['http://a.test', 'http://b.test']);
  });

  test('keyOf makes the key of a request, and a given key replaces it', () => {
    const { uses, per } = setUp({ keyOf: byTenant });
    expect(uses(of('one'), of('one', 'b'), of('two'))).toEqual([true, false, true]);
    expect(use(per.for(of('three'), 'one'))).toBe(false);
  });

  test('make is told the key', () => {
    const { uses } = setUp({ keyOf: byTenant });
    expect(uses(of('large'), of('large'), of('large'))).toEqual([true, true, false]);
    expect(uses(of('small'), of('small'))).toEqual([true, false]);
  });

  test('one that is as good as new is evicted after idleMs, and no other', () => {
    const { uses, per, clock } = setUp({ keyOf: byTenant, idleMs: 1_000 });
    uses(of('one'));
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

  test('beyond maxKeys keys that are in use stay, and a warning says so once', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const { uses, per, clock } = setUp({ keyOf: byTenant, maxKeys: 1 });
    expect(uses(of('one'), of('two'), of('three'), of('one'))).toEqual([true, true, true, false]);
    expect(per.size).toBe(3);
    expect(warned).toHaveBeenCalledOnce();
    // Not a second later either, when it looks for room again.
    for (const tenant of ['four', 'five']) {
      uses(of(tenant));
      clock.tick(1_000);
    }
    expect(warned.mock.calls.map(([warning]) => (warning as Error).message)).toEqual([
      'More than 1 keys (maxKeys) of one perKey are in use',
    ]);
    warned.mockRestore();
  });
});

test.each<[story: string, call: () => unknown, message: string]>([
  [
    'options in place of a function',
    () => perKey({ refillPerSecond: 1 } as never),
    'perKey: make must be a function, got an object',
  ],
  ['no function', () => perKey(undefined as never), 'perKey: make must be a function, got undefined'],
  [
    'a key that is no function',
    () => perKey(() => retryBudget(), { keyOf: 'origin' as never }),
    'perKey: keyOf must be a function, got "origin"',
  ],
  [
    'no keys',
    () => perKey(() => retryBudget(), { maxKeys: 0 }),
    'perKey: maxKeys must be a whole number ≥ 1, got 0',
  ],
  ['an unknown option', () => perKey(() => retryBudget(), { max: 5 } as never), 'perKey has no option "max"'],
  [
    'options of the wrong type',
    () => perKey(() => retryBudget(), 5 as never),
    'perKey: options must be an object, got 5',
  ],
])('%s is refused at once', (_, call, message) => {
  expect(call).toThrow(message);
});

test('the types tell buckets, which can be closed, from other limits', async () => {
  const buckets: BucketPerKey<ObservableBucket> = perKey(() => tokenBucket({ refillPerSecond: 1 }));
  await Promise.all([buckets.idle(), buckets.close({ waiting: 'drain' })]);
  const limits: PerKey<ConcurrencyLimit> = perKey(() => concurrencyLimit({ maxConcurrent: 1 }));
  // @ts-expect-error: a limit is no bucket
  const wrong: PerKey<RetryBudget> = limits;
  expect(wrong.for(of('one'))).toMatchObject({ stats: expect.any(Function) });
});
