import { describe, expect, test } from 'vitest';
import type { RequestTraits } from '../http/outcome.ts';
import { bucketPerKey } from './bucket/bucket-per-key.ts';
import { tokenBucket } from './bucket/token-bucket.ts';
import { retryBudget } from './budget.ts';
import { budgetPerKey } from './budget-per-key.ts';
import { concurrencyLimit, concurrencyPerKey } from './concurrency.ts';
import type { PerKey } from './contracts.ts';
import type { KeyOf, PerKeyOptions } from './per-key-options.ts';

function of(tenant: string, host = 'a'): RequestTraits {
  return {
    url: `http://${host}.test/`,
    method: 'GET',
    replayable: true,
    header: (name) => (name === 'x-tenant' ? tenant : undefined),
  };
}

const byTenant: KeyOf = (request) => request.header('x-tenant') ?? '';

/** One of the three functions, with limits that allow one use by default, and two if they are made for `large`. */
interface Kind {
  readonly perKey: (...given: readonly unknown[]) => PerKey<unknown>;
  readonly options: object;
  readonly make: (key: string) => unknown;
  /** Uses the limit of a request once; `false` if it allows no more. */
  readonly use: (per: PerKey<never>, request: RequestTraits) => boolean;
}

const kinds: Readonly<Record<string, Kind>> = {
  bucketPerKey: {
    perKey: bucketPerKey as never,
    options: { refillPerSecond: 1e-6, capacity: 1 },
    make: (key) => tokenBucket({ refillPerSecond: 1e-6, capacity: key === 'large' ? 2 : 1 }),
    use: (per: PerKey<{ tryAcquire(): unknown }>, request) => per.for(request).tryAcquire() !== undefined,
  },
  concurrencyPerKey: {
    perKey: concurrencyPerKey as never,
    options: { maxConcurrent: 1 },
    make: (key) => concurrencyLimit({ maxConcurrent: key === 'large' ? 2 : 1 }),
    use: (per: PerKey<{ tryAcquire(): unknown }>, request) => per.for(request).tryAcquire() !== undefined,
  },
  budgetPerKey: {
    perKey: budgetPerKey as never,
    options: { reserve: 1 },
    make: (key) => retryBudget({ reserve: key === 'large' ? 2 : 1 }),
    use: (per: PerKey<{ withdraw(): boolean }>, request) => per.for(request).withdraw(),
  },
};

describe.each(Object.entries(kinds))('%s', (name, { perKey, options, make, use }) => {
  const usesOf = (per: PerKey<unknown>, ...requests: readonly RequestTraits[]): readonly boolean[] =>
    requests.map((request) => use(per as PerKey<never>, request));

  test.each<[form: string, per: () => PerKey<unknown>]>([
    ['(keyOf, options)', () => perKey(byTenant, options)],
    ['(keyOf, options, perKeyOptions)', () => perKey(byTenant, options, { maxKeys: 5 })],
    ['(keyOf, options, {})', () => perKey(byTenant, options, {})],
    ['(keyOf, make)', () => perKey(byTenant, make)],
    ['(keyOf, make, perKeyOptions)', () => perKey(byTenant, make, { maxKeys: 5 })],
    ['(options, perKeyOptions)', () => perKey(options, { keyOf: byTenant })],
    ['(make, perKeyOptions)', () => perKey(make, { keyOf: byTenant })],
  ])('%s: by the key', (_, per) => {
    expect(usesOf(per(), of('one'), of('one', 'b'), of('two'))).toEqual([true, false, true]);
  });

  test.each<[form: string, per: () => PerKey<unknown>]>([
    ['(options)', () => perKey(options)],
    ['(make)', () => perKey(make)],
    ['(options, perKeyOptions)', () => perKey(options, { maxKeys: 5 })],
    ['(make, perKeyOptions)', () => perKey(make, { maxKeys: 5 })],
  ])('%s: by the origin', (_, per) => {
    expect(usesOf(per(), of('one'), of('two'), of('two', 'b'))).toEqual([true, false, true]);
  });

  test('a function makes a limit for each key', () => {
    const per = perKey(byTenant, make);
    expect(usesOf(per, of('large'), of('large'), of('large'))).toEqual([true, true, false]);
    expect(usesOf(per, of('small'), of('small'))).toEqual([true, false]);
  });

  test('the key that comes first outranks the one of the options', () => {
    const per = perKey(byTenant, options, { keyOf: () => 'all' });
    expect(usesOf(per, of('one'), of('two'))).toEqual([true, true]);
  });

  test.each<[story: string, call: () => unknown, message: string]>([
    [
      'a key that is no function',
      () => perKey('origin', options),
      `${name}: keyOf must be a function, got "origin"`,
    ],
    [
      'options in place of a key',
      () => perKey(options, make),
      `${name}: keyOf must be a function, got an object`,
    ],
    [
      'a key in the options that is no function',
      () => perKey(options, { keyOf: 5 }),
      `${name}: keyOf must be a function`,
    ],
    ['no keys', () => perKey(options, { maxKeys: 0 }), `${name}: maxKeys must be a whole number ≥ 1, got 0`],
    ['an unknown option', () => perKey(byTenant, options, { max: 5 }), `${name} has no option "max"`],
    [
      'per-key options of the wrong type',
      () => perKey(options, 5),
      `${name}: options must be an object, got 5`,
    ],
    ['a wrong option of the limit', () => perKey({ ...options, clock: 5 }), 'clock must be a clock, got 5'],
    ['limit options of the wrong type', () => perKey(5), 'options must be an object, got 5'],
  ])('%s is refused at once', (_, call, message) => {
    expect(call).toThrow(message);
  });
});

test('an empty object after a function is the options of a budget', () => {
  const keys: string[] = [];
  const budgets = budgetPerKey((request) => {
    keys.push(byTenant(request));
    return byTenant(request);
  }, {});
  budgets.for(of('one')).withdraw();
  expect(keys).toEqual(['one']);
});

test('the types tell a key from a maker', () => {
  const options: PerKeyOptions = { maxKeys: 5 };
  budgetPerKey(byTenant, { ratio: 0.1 }, options);
  budgetPerKey((key) => retryBudget({ ratio: key.length }), options);
  concurrencyPerKey(byTenant, { maxConcurrent: 5 }, options);
  concurrencyPerKey((key) => concurrencyLimit({ maxConcurrent: key.length }), options);
  // @ts-expect-error: a bucket is no budget
  expect(() => budgetPerKey(byTenant, { refillPerSecond: 1 })).toThrow('has no option "refillPerSecond"');
});
