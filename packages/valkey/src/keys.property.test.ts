import type { RequestTraits } from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelStore } from '../test/model-store.ts';
import { valkeyBucket, valkeyBucketPerKey } from './index.ts';
import { unitNames } from './store-call.ts';

/** A text of few characters, so that many are alike: those that keys have a use for, what stands for them, and halves of characters. */
const unit = fc.constantFrom(...'ab{}%:7BDd258', '%7B', '%25', '%257B', '\ud800', '\udc00', '\ufffd', '😀');
const text = fc.string({ unit, maxLength: 6 });

const toTenant = (tenant: string): RequestTraits => {
  return { url: '/', method: 'GET', replayable: true, header: () => tenant };
};

/** The keys in the store that a program calls, as bytes. */
async function keysOf(program: (client: ModelStore, clock: VirtualClock) => unknown): Promise<string[]> {
  const clock = virtualClock({ startMs: 0 });
  const store = new ModelStore(clock);
  const running = program(store, clock);
  await clock.advance(2_000);
  await running;
  return [...new Set([...store.callsByKey.keys()].map((key) => Buffer.from(key).toString()))].sort();
}

const limit = { refillPerSecond: 1, capacity: 10 };

/** The keys of tenants. */
async function keysOfTenants(tenants: readonly string[], key = 'k'): Promise<string[]> {
  const keys = await keysOf(async (client, clock) => {
    const keyOf = (request: RequestTraits) => request.header('tenant') ?? '';
    const buckets = valkeyBucketPerKey({ client, key, clock, ...limit, keyOf });
    await Promise.all(tenants.map((tenant) => buckets.for(toTenant(tenant)).acquire()));
    await buckets.close();
  });
  return keys.filter((name) => name !== `ebb:{${key}}`);
}

describe('a tenant', () => {
  test.each<[tenant: string, key: string]>([
    ['a', 'ebb:{k:a}'],
    ['https://a.test:8443', 'ebb:{k:https://a.test:8443}'],
    ['', 'ebb:{k:}'],
    ['a{b', 'ebb:{k:a%7Bb}'],
    ['a}b', 'ebb:{k:a%7Db}'],
    ['a%7Bb', 'ebb:{k:a%257Bb}'],
    ['100%', 'ebb:{k:100%25}'],
    ['\ud83d', 'ebb:{k:%D83D}'],
    ['\ud83d\ude00', 'ebb:{k:😀}'],
  ])('%j has the key %s', async (tenant, key) => {
    expect(await keysOfTenants([tenant])).toEqual([key]);
  });
});

test('two lists of units never read the same, and every name is read back', () => {
  const units = fc.array(
    text.filter((name) => !/\p{Cs}/u.test(name)),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(units, units, (some, others) => {
      expect(unitNames(some) === unitNames(others)).toBe(JSON.stringify(some) === JSON.stringify(others));
      const read = unitNames(some).split(' ').slice(0, -1);
      expect(read.map(decodeURIComponent)).toEqual(some);
    }),
  );
});

// A client sends text as UTF-8, in which all halves of characters are one.
test.each<[options: object, message: string]>([
  [{ key: 'a\ud800' }, 'valkeyBucket: key must be well-formed Unicode, got "a\\ud800"'],
  [{ prefix: '\udc00' }, 'valkeyBucket: prefix must be well-formed Unicode, got "\\udc00"'],
  [
    { refillPerSecond: undefined, capacity: undefined, limits: { 'a\ud800': limit } },
    'valkeyBucket: limits: the name of a unit must be well-formed Unicode, got "a\\ud800"',
  ],
])('%j is refused', (options, message) => {
  const client = new ModelStore(virtualClock());
  expect(() => valkeyBucket({ client, key: 'k', ...limit, ...options })).toThrow(message);
});
