import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import {
  attemptsOf,
  constant,
  type EbbEvent,
  type HeaderChanges,
  HookError,
  type NextAttempt,
  type PolicyOptions,
} from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { versions } from '../test/clients.ts';
import { get, passBackoff, reset, resumingInterceptor, setUp } from '../test/relay.ts';
import { failing, upstream } from '../test/upstream.ts';
import { changedHeaders, ownOptions, type RequestHeaders } from './headers.ts';
import { ebbInterceptor } from './index.ts';

type Pairs = readonly (readonly [string, string])[];

/** Makes headers in each form that a dispatcher may be given. */
const forms: readonly (readonly [string, (pairs: Pairs) => unknown])[] = [
  ['a record', Object.fromEntries],
  ['a flat list', (pairs) => pairs.flat()],
  ['a list of pairs', (pairs) => pairs.map((pair) => [...pair])],
  ['a Map', (pairs) => new Map(pairs)],
  ['a Headers', (pairs) => new Headers(pairs as [string, string][])],
  [
    'a generator',
    function* (pairs) {
      yield* pairs;
    },
  ],
];

const lower = (headers: RequestHeaders): unknown[] =>
  Object.entries(headers ?? {})
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    .sort();

describe.each(forms)('changes to headers that are %s', (_, make) => {
  const own: Pairs = [
    ['Accept', 'a'],
    ['X-Old', 'b'],
    ['x-gone', 'c'],
  ];
  const { headers } = ownOptions({ ...get, headers: make(own) as never });

  test.each<[string, Record<string, string | undefined>, string[]]>([
    ['nothing', {}, ['accept: a', 'x-gone: c', 'x-old: b']],
    ['a new header', { 'X-New': 'd' }, ['accept: a', 'x-gone: c', 'x-new: d', 'x-old: b']],
    ['a header in another case', { 'x-OLD': 'd' }, ['accept: a', 'x-gone: c', 'x-old: d']],
    ['a header that is removed', { 'X-Gone': undefined }, ['accept: a', 'x-old: b']],
    ['a header that is not there', { 'x-none': undefined }, ['accept: a', 'x-gone: c', 'x-old: b']],
    [
      'two spellings of a name: the later holds',
      { 'x-old': '1', 'X-Old': '2' },
      ['accept: a', 'x-gone: c', 'x-old: 2'],
    ],
  ])('%s', (_name, changes, expected) => {
    const changed = changedHeaders(headers, changes);
    expect(lower(changed)).toEqual(expected);
    // Again, and without a trace in the caller's own.
    expect(lower(changed)).toEqual(expected);
    expect(lower(headers)).toEqual(['accept: a', 'x-gone: c', 'x-old: b']);
  });
});

test('headers with several values, and none', () => {
  expect(changedHeaders({ a: ['1', '2'], b: undefined }, { c: '3' })).toEqual({
    a: ['1', '2'],
    b: undefined,
    c: '3',
  });
  const { headers } = ownOptions({ ...get, headers: ['a', '1', 'b', '3', 'a', '2'] });
  expect(headers).toEqual({ a: ['1', '2'], b: '3' });
  expect(changedHeaders(headers, { A: '4' })).toEqual({ b: '3', A: '4' });
  expect(changedHeaders(undefined, { a: '1' })).toEqual({ a: '1' });
  expect(changedHeaders(null, { a: '1' })).toEqual({ a: '1' });
});

test.each<[string, unknown, unknown]>([
  ['a string', 'a: b', 'a: b'],
  ['a flat list without its last value', ['a', '1', 'b'], ['a', '1', 'b']],
  ['an iterable of something else', new Set(['text']), ['text']],
  ['pairs of three', [['a', '1', '2']], [['a', '1', '2']]],
])('headers that undici refuses stay refused: %s', (_, given, expected) => {
  const { headers } = ownOptions({ ...get, headers: given as never });
  const changed: unknown = changedHeaders(headers, { c: '2' });
  expect(typeof changed === 'string' ? changed : [...(changed as Iterable<unknown>)]).toEqual(expected);
});

function sentHeaders(options: { readonly headers?: unknown }): Record<string, unknown> {
  return options.headers as Record<string, unknown>;
}

describe('beforeAttempt', () => {
  test('changes the headers of each attempt, from those of the caller', async () => {
    const asked: NextAttempt[] = [];
    const { wire, spy, clock, dispatch } = setUp({
      beforeAttempt: (next) => {
        asked.push(next);
        return { 'x-attempt': String(next.attempt), 'X-Own': next.attempt === 1 ? undefined : 'changed' };
      },
    });
    const headers = { 'x-own': 'a' };
    dispatch({ ...get, headers }, spy);
    wire.attempt(1).start().head(503).end();
    await passBackoff(clock);
    wire.attempt(2).start().head(200).end();
    expect(wire.attempts.map(({ options }) => options.headers)).toEqual([
      { 'x-attempt': '1' },
      { 'x-attempt': '2', 'X-Own': 'changed' },
    ]);
    expect(headers).toEqual({ 'x-own': 'a' });
    expect(asked.map(({ attempt, previous }) => [attempt, previous?.type])).toEqual([
      [1, undefined],
      [2, 'response'],
    ]);
    expect(asked[0]?.request.header('x-own')).toBe('a');
    expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
  });

  test.each<[string, PolicyOptions['beforeAttempt']]>([
    ['returns nothing', () => undefined],
    ['promises nothing', async () => undefined],
  ])('that %s leaves the options alone', async (_, beforeAttempt) => {
    const { wire, spy, dispatch } = setUp({ beforeAttempt });
    const headers = { a: 'b' };
    dispatch({ ...get, headers }, spy);
    await turn();
    expect(wire.attempt(1).options.headers).toEqual(headers);
  });

  test('that promises headers delays the attempt until it has them', async () => {
    const made = Promise.withResolvers<HeaderChanges>();
    const { wire, spy, dispatch } = setUp({ beforeAttempt: () => made.promise });
    expect(dispatch(get, spy)).toBe(true);
    await turn();
    expect([wire.attempts.length, spy.calls]).toEqual([0, ['start']]);
    made.resolve({ authorization: 'token' });
    await turn();
    expect(sentHeaders(wire.attempt(1).options)).toEqual({ authorization: 'token' });
    wire.attempt(1).start().head(200).end();
    expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
  });

  test('also changes the headers of a request for the rest of a download', async () => {
    const beforeAttempt = ({ attempt }: { attempt: number }) => ({ 'x-attempt': `${attempt}` });
    const { wire, spy, clock, dispatch } = setUp({ beforeAttempt }, resumingInterceptor);
    dispatch({ ...get, headers: { accept: 'a' } }, spy);
    wire.attempt(1).start().head(200, { etag: '"a"', 'content-length': '10' }).data('01234').fail(reset());
    await passBackoff(clock);
    expect(sentHeaders(wire.attempt(2).options)).toEqual({
      accept: 'a',
      'x-attempt': '1',
      range: 'bytes=5-9',
      'if-match': '"a"',
    });
  });

  test('goes with a body that is made for each attempt, sync or async', async () => {
    for (const beforeAttempt of [() => ({ a: '1' }), async () => ({ a: '1' })]) {
      for (const body of [() => 'text', async () => 'text']) {
        const { wire, spy, dispatch } = setUp({ beforeAttempt });
        dispatch({ ...get, method: 'PUT', body: body as never }, spy);
        await turn();
        expect(wire.attempt(1).options).toMatchObject({ body: 'text', headers: { a: '1' } });
      }
    }
  });

  const broken = (): never => {
    throw new Error('broken');
  };

  describe.each<[string, NonNullable<PolicyOptions['beforeAttempt']>]>([
    ['throws', broken],
    ['rejects', async () => broken()],
    ['returns something else', () => 'text' as never],
    ['promises something else', async () => ({ a: 1 }) as never],
  ])('that %s', (_, beforeAttempt) => {
    test('fails the request before anything is sent, and destroys its upload', async () => {
      const { wire, spy, dispatch, events } = setUp({ beforeAttempt });
      const body = new Readable({ read: () => undefined });
      dispatch({ ...get, method: 'PUT', body }, spy);
      await turn();
      expect(spy.error).toBeInstanceOf(HookError);
      expect(spy.error).toMatchObject({ hook: 'beforeAttempt' });
      expect(spy.calls.filter((call) => call.startsWith('error'))).toHaveLength(1);
      expect(attemptsOf(spy.error)).toEqual([]);
      expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'final' });
      expect([wire.attempts.length, body.destroyed]).toEqual([0, true]);
    });

    test('at a retry fails the request with that error', async () => {
      const { wire, spy, clock, dispatch } = setUp({
        beforeAttempt: (next) => (next.attempt === 1 ? undefined : beforeAttempt(next)),
      });
      dispatch(get, spy);
      wire.attempt(1).start().head(503).end();
      await passBackoff(clock);
      expect(spy.error).toMatchObject({ name: 'HookError', hook: 'beforeAttempt' });
      expect(wire.attempts).toHaveLength(1);
    });
  });

  test('an abort while its headers are awaited ends the request, and nothing is sent', async () => {
    const made = Promise.withResolvers<HeaderChanges>();
    const { wire, spy, dispatch, clock } = setUp({ beforeAttempt: () => made.promise });
    const body = new Readable({ read: () => undefined });
    dispatch({ ...get, method: 'PUT', body }, spy);
    const reason = new Error('enough');
    spy.controller?.abort(reason);
    expect([spy.error, body.destroyed]).toEqual([reason, true]);
    made.resolve({ a: 'b' });
    await passBackoff(clock);
    expect([wire.attempts.length, spy.calls]).toEqual([0, ['start', 'error enough']]);
  });

  test('attemptTimeoutMs covers it, and an unsent upload is sent by the retry', async () => {
    const { wire, spy, clock, dispatch } = setUp({
      attemptTimeoutMs: 50,
      beforeAttempt: ({ attempt }) => (attempt === 1 ? new Promise(() => undefined) : undefined),
    });
    const body = Readable.from(['text']);
    dispatch({ ...get, method: 'PUT', body }, spy);
    await passBackoff(clock, 50);
    expect([wire.attempts.length, body.destroyed]).toEqual([0, false]);
    await passBackoff(clock);
    expect(wire.attempt(1).options.body).toBe(body);
    wire.attempt(1).start().head(200).end();
    expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
    expect(attemptsOf(spy.context)).toMatchObject([{ failure: 'timeout' }, { attempt: 2, status: 200 }]);
  });

  test('no body is made for an attempt that is over before its headers are known', async () => {
    const made = Promise.withResolvers<HeaderChanges>();
    const bodies: string[] = [];
    const { spy, dispatch } = setUp({ beforeAttempt: () => made.promise });
    const body = (): string => String(bodies.push('text'));
    dispatch({ ...get, method: 'PUT', body: body as never }, spy);
    spy.controller?.abort(new Error('enough'));
    made.resolve({});
    await turn();
    expect(bodies).toEqual([]);
  });
});

describe('idempotencyKey', () => {
  test('a POST carries the same key on each attempt, and is sent again after a 503', async () => {
    const { wire, spy, clock, dispatch } = setUp({ idempotencyKey: true });
    dispatch({ ...get, method: 'POST', headers: ['x-a', 'b'], body: 'text' }, spy);
    wire.attempt(1).start().head(503).end();
    await passBackoff(clock);
    wire.attempt(2).start().head(200).end();
    const keys = wire.attempts.map(({ options }) => sentHeaders(options)['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(sentHeaders(wire.attempt(2).options)).toMatchObject({ 'x-a': 'b' });
    expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
  });

  test.each<[string, object]>([
    ['a GET', {}],
    ['a POST with a key of its own', { method: 'POST', headers: { 'Idempotency-Key': 'own' } }],
  ])('%s is sent as it is', (_, request) => {
    const { wire, spy, dispatch } = setUp({ idempotencyKey: true });
    const options = { ...get, headers: { a: 'b' }, ...request };
    dispatch(options, spy);
    expect(wire.attempt(1).options.headers).toEqual(options.headers);
  });

  test('that throws fails the request', async () => {
    const { wire, spy, dispatch } = setUp({
      idempotencyKey: () => {
        throw new Error('broken');
      },
    });
    dispatch({ ...get, method: 'POST' }, spy);
    await turn();
    expect(spy.error).toMatchObject({ name: 'HookError', hook: 'idempotencyKey' });
    expect(wire.attempts).toHaveLength(0);
  });
});

describe.each(Object.entries(versions))('over loopback, %s', (_, { Agent, request, fetch }) => {
  // undici itself takes no list of pairs.
  const taken = forms.filter(([name]) => name !== 'a list of pairs');

  test.each(taken)(
    '%s: a POST arrives with changed headers and one key on each attempt',
    async (_name, make) => {
      await using server = await upstream(failing(503, 503));
      const agent = new Agent();
      const events: EbbEvent[] = [];
      const dispatcher = agent.compose(
        ebbInterceptor({
          backoff: constant(0),
          idempotencyKey: () => 'key',
          trustedOrigins: () => true,
          beforeAttempt: async ({ attempt }) => ({ 'X-Attempt': `${attempt}`, 'x-gone': undefined }),
          onEvent: (event) => void events.push(event),
        }),
      );
      const headers = make([
        ['x-attempt', '0'],
        ['X-Gone', 'a'],
        ['x-kept', 'b'],
      ]);
      const { statusCode, body } = await request(server.url, {
        method: 'POST',
        headers: headers as Record<string, string>,
        body: 'text',
        dispatcher,
      });
      expect([statusCode, await body.text()]).toEqual([200, 'ok']);
      expect(
        server.seen.map(({ headers, body }) => [
          headers['x-attempt'],
          headers['x-gone'],
          headers['x-kept'],
          headers['idempotency-key'],
          String(body),
        ]),
      ).toEqual(['1', '2', '3'].map((attempt) => [attempt, undefined, 'b', 'key', 'text']));
      await agent.close();
    },
  );

  test('fetch: the same', async () => {
    await using server = await upstream(failing(503));
    const agent = new Agent();
    const dispatcher = agent.compose(
      ebbInterceptor({
        backoff: constant(0),
        idempotencyKey: true,
        trustedOrigins: () => true,
        beforeAttempt: ({ attempt }) => ({ 'x-attempt': `${attempt}` }),
      }),
    );
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'x-kept': 'b' },
      body: 'text',
      dispatcher,
    });
    expect([response.status, await response.text()]).toEqual([200, 'ok']);
    const seen = server.seen.map(({ headers, body }) => [
      headers['x-attempt'],
      headers['x-kept'],
      String(body),
    ]);
    expect(seen).toEqual([
      ['1', 'b', 'text'],
      ['2', 'b', 'text'],
    ]);
    expect(new Set(server.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    await agent.close();
  });
});
