import { constant, perKey, type RequestTraits, tokenBucket } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { versions } from '../test/clients.ts';
import { failing, upstream } from '../test/upstream.ts';
import { changedHeaders, ownOptions, requestHeader } from './headers.ts';
import { ebbInterceptor } from './index.ts';

type Pairs = readonly (readonly [string, string])[];

/** Makes headers in each form that undici takes. */
const forms: readonly (readonly [string, (pairs: Pairs) => unknown])[] = [
  ['a record', Object.fromEntries],
  ['a flat list', (pairs) => pairs.flat()],
  ['a Map', (pairs) => new Map(pairs)],
  ['a Headers', (pairs) => new Headers(pairs as [string, string][])],
  ['the entries of a Map', (pairs) => new Map(pairs).entries()],
  ['the entries of a Headers', (pairs) => new Headers(pairs as [string, string][]).entries()],
  [
    'a generator',
    function* (pairs) {
      yield* pairs;
    },
  ],
  [
    'an iterable that returns the same iterator',
    (pairs) => {
      const once = pairs.values();
      return { [Symbol.iterator]: () => once };
    },
  ],
];

describe.each(Object.entries(versions))('request headers of %s', (_, { Agent, request }) => {
  test.each(forms)('%s: are sent by each attempt, after hooks have read them', async (_name, make) => {
    await using server = await upstream(failing(503, 503));
    const agent = new Agent();
    const read: unknown[] = [];
    const keyOf = (asked: RequestTraits): string => String(read.push(asked.header('x-tenant')) > 0);
    const bucket = perKey(() => tokenBucket({ refillPerSecond: 1_000, capacity: 1_000 }), { keyOf });
    const dispatcher = agent.compose(
      ebbInterceptor({ backoff: constant(0), bucket, cost: (asked) => read.push(asked.header('x-tenant')) }),
    );
    const headers = make([
      ['Authorization', 'Bearer a'],
      ['X-Tenant', 'b'],
    ]);
    const { statusCode, body } = await request(server.url, { headers: headers as Headers, dispatcher });
    expect([statusCode, await body.text()]).toEqual([200, 'ok']);
    expect(
      server.seen.map(({ headers: { authorization, 'x-tenant': tenant } }) => [authorization, tenant]),
    ).toEqual(Array(3).fill(['Bearer a', 'b']));
    expect(new Set(read)).toEqual(new Set(['b']));
    expect(read.length).toBeGreaterThanOrEqual(3);
    await agent.destroy();
  });

  test('headers whose iterator throws fail the request with that error', async () => {
    const agent = new Agent();
    const cause = new Error('broken');
    function* headers(): Generator<[string, string]> {
      yield ['a', 'b'];
      throw cause;
    }
    const sent = request('http://127.0.0.1:9/', {
      headers: headers(),
      dispatcher: agent.compose(ebbInterceptor()),
    });
    await expect(sent).rejects.toBe(cause);
    await agent.destroy();
  });
});

test('a header with several values, and invalid headers', () => {
  expect(requestHeader({ 'x-two': ['2', '3'] }, 'x-two')).toBe('2, 3');
  expect(requestHeader(['x-one', '1', 'x-odd'], 'x-odd')).toBe(undefined);
  expect(requestHeader(null, 'a')).toBe(undefined);
});

describe('headers of a request are one record', () => {
  const own = (headers: unknown): unknown =>
    ownOptions({ path: '/', method: 'GET', headers: headers as never }).headers;

  test.each<[headers: unknown, record: object]>([
    [['a', '1', 'b', '2'], { a: '1', b: '2' }],
    [['a', '1', 'a', '2', 'a', '3'], { a: ['1', '2', '3'] }],
    [['a', undefined, 'b', '2'], { b: '2' }],
    [[], {}],
    [
      new Map([
        ['a', '1'],
        ['A', '2'],
      ]),
      { a: '1', A: '2' },
    ],
    [[['a', ['1', '2']]], { a: ['1', '2'] }],
  ])('%o', (headers, record) => {
    expect(own(headers)).toEqual(record);
  });

  test.each([null, undefined, 'a', 1])('%s stays: undici refuses it, or it is none', (headers) => {
    expect(own(headers)).toBe(headers);
  });

  test('an odd list stays a list, and pairs that are none can be read again', () => {
    expect(own(['a', '1', 'b'])).toEqual(['a', '1', 'b']);
    const pairs = own(new Set([['a', '1'], ['b']])) as Iterable<unknown>;
    expect([[...pairs], [...pairs]]).toEqual([
      [['a', '1'], ['b']],
      [['a', '1'], ['b']],
    ]);
  });

  test('a query that is no record stays', () => {
    const query = 'a=1' as never;
    expect(ownOptions({ path: '/', method: 'GET', query }).query).toBe(query);
    expect(ownOptions({ path: '/', method: 'GET', query: null as never }).query).toBe(null);
  });

  test.each<[value: unknown, text: string | undefined]>([
    [null, undefined],
    [undefined, undefined],
    [5, '5'],
    ['', ''],
  ])('a value of %s', (value, text) => {
    expect(requestHeader({ a: value, A: 'later' } as never, 'a')).toBe(text ?? 'later');
  });
});

test.each<[headers: unknown, expected: unknown]>([
  [undefined, { 'X-Own': '2' }],
  [null, { 'X-Own': '2' }],
  [
    { b: '1', 'x-own': '1', 'X-GONE': '1' },
    { b: '1', 'X-Own': '2' },
  ],
  ['text', 'text'],
  [['a'], ['a']],
])('changes of %o', (headers, expected) => {
  const changes = { 'x-own': '1', 'X-Own': '2', 'x-gone': undefined };
  expect(changedHeaders(headers as never, changes)).toStrictEqual(expected);
});
