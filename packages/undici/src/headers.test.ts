import { constant, perKey, type RequestTraits, tokenBucket } from '@ebb/core';
import { expect, onTestFinished, test } from 'vitest';
import { versions } from '../test/clients.ts';
import { failing, upstream } from '../test/upstream.ts';
import { changedHeaders, ownOptions, requestHeader } from './headers.ts';
import { ebbInterceptor } from './index.ts';

function* generated(): Generator<[string, string]> {
  yield ['Authorization', 'Bearer a'];
  yield ['X-Tenant', 'b'];
}

test.each(Object.entries(versions))(
  'headers that can be read only once are sent by each attempt of %s, after hooks have read them',
  async (_, { Agent, request }) => {
    await using server = await upstream(failing(503, 503));
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const read: unknown[] = [];
    const noting = (asked: RequestTraits): number => read.push(asked.header('x-tenant'));
    const bucket = perKey(() => tokenBucket({ refillPerSecond: 1_000, capacity: 1_000 }), {
      keyOf: (asked) => String(noting(asked) > 0),
    });
    const dispatcher = agent.compose(ebbInterceptor({ backoff: constant(0), bucket, cost: noting }));
    const { statusCode, body } = await request(server.url, { headers: generated(), dispatcher });
    expect([statusCode, await body.text()]).toEqual([200, 'ok']);
    const sent = server.seen.map(({ headers }) => [headers.authorization, headers['x-tenant']]);
    expect(sent).toEqual(Array(3).fill(['Bearer a', 'b']));
    expect(new Set(read)).toEqual(new Set(['b']));
    expect(read.length).toBeGreaterThanOrEqual(3);
  },
);

const own = (options: object): { headers?: unknown; query?: unknown } =>
  ownOptions({ path: '/', method: 'GET', ...options });
const ab: [string, string][] = [
  ['a', '1'],
  ['b', '2'],
];

test.each<[form: string, headers: unknown, record: object]>([
  ['a record', { a: '1', b: '2' }, { a: '1', b: '2' }],
  ['a list', ['a', '1', 'b', '2'], { a: '1', b: '2' }],
  ['a list with a name that is repeated', ['a', '1', 'a', '2', 'a', '3'], { a: ['1', '2', '3'] }],
  ['a list without a value', ['a', undefined, 'b', '2'], { b: '2' }],
  ['an empty list', [], {}],
  ['pairs', [['a', ['1', '2']]], { a: ['1', '2'] }],
  ['a Map', new Map([...ab, ['A', '2']]), { a: '1', b: '2', A: '2' }],
  ['a Headers', new Headers(ab), { a: '1', b: '2' }],
  ['an iterator', ab.values(), { a: '1', b: '2' }],
  ['an iterable of one iterator', { [Symbol.iterator]: () => ab.values() }, { a: '1', b: '2' }],
])('headers of a request are one record: %s', (_, headers, record) => {
  expect(own({ headers }).headers).toEqual(record);
});

test.each([null, undefined, 'a', 1])(
  'headers of %s stay: undici refuses them, or there are none',
  (headers) => {
    expect(own({ headers }).headers).toBe(headers);
  },
);

test('an odd list stays a list, and pairs that are none can be read again', () => {
  expect(own({ headers: ['a', '1', 'b'] }).headers).toEqual(['a', '1', 'b']);
  const pairs = own({ headers: new Set([['a', '1'], ['b']]) }).headers as Iterable<unknown>;
  for (let time = 0; time < 2; time += 1) expect([...pairs]).toEqual([['a', '1'], ['b']]);
});

test.each(['a=1', null])('a query of %s stays', (query) => {
  expect(own({ query }).query).toBe(query);
});

test.each<[headers: unknown, text: string | undefined]>([
  [null, undefined],
  [{ a: ['2', '3'] }, '2, 3'],
  [{ a: null, A: 'later' }, 'later'],
  [{ a: undefined, A: 'later' }, 'later'],
  [{ a: 5, A: 'later' }, '5'],
  [{ a: '', A: 'later' }, ''],
  [['b', '1', 'a'], undefined],
])('the header of %o', (headers, text) => {
  expect(requestHeader(headers as never, 'a')).toBe(text);
});

test.each<[headers: unknown, expected: unknown]>([
  [undefined, { 'X-Own': '2' }],
  [null, { 'X-Own': '2' }],
  [
    { b: ['1', '3'], 'x-own': '1', 'X-GONE': '1' },
    { b: ['1', '3'], 'X-Own': '2' },
  ],
  ['text', 'text'],
  [['a'], ['a']],
])('changes of %o', (headers, expected) => {
  const changes = { 'x-own': '1', 'X-Own': '2', 'x-gone': undefined };
  expect(changedHeaders(headers as never, changes)).toStrictEqual(expected);
});
