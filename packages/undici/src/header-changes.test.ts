import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { attemptsOf, type HeaderChanges, type NextAttempt } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { begin, get, passBackoff, setUp } from '../test/relay.ts';
import { changedHeaders, ownOptions } from './headers.ts';

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

  test('that promises headers delays the attempt until it has them', async () => {
    const made = Promise.withResolvers<HeaderChanges>();
    const { wire, spy, dispatch } = setUp({ beforeAttempt: () => made.promise });
    expect(dispatch(get, spy)).toBe(true);
    await turn();
    expect([wire.attempts.length, spy.calls]).toEqual([0, ['start']]);
    made.resolve({ authorization: 'token' });
    await turn();
    expect(wire.attempt(1).options.headers).toEqual({ authorization: 'token' });
    wire.attempt(1).start().head(200).end();
    expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
  });

  test('goes with a body that is made for each attempt, sync or async', async () => {
    for (const beforeAttempt of [() => ({ a: '1' }), async () => ({ a: '1' })]) {
      for (const body of [() => 'text', async () => 'text']) {
        const { wire } = begin({ beforeAttempt }, { method: 'PUT', body: body as never });
        await turn();
        expect(wire.attempt(1).options).toMatchObject({ body: 'text', headers: { a: '1' } });
      }
    }
  });

  test('that fails ends the request before anything is sent, and destroys its upload', async () => {
    const { wire, spy, dispatch } = setUp({ beforeAttempt: () => Promise.reject(new Error('broken')) });
    const body = new Readable({ read: () => undefined });
    dispatch({ ...get, method: 'PUT', body }, spy);
    await turn();
    expect(spy.error).toMatchObject({ name: 'HookError', hook: 'beforeAttempt' });
    expect(spy.calls.filter((call) => call.startsWith('error'))).toHaveLength(1);
    expect([wire.attempts.length, body.destroyed]).toEqual([0, true]);
  });

  test('that fails at a retry ends the request with that error', async () => {
    const { wire, spy, clock } = begin({
      beforeAttempt: ({ attempt }) => (attempt === 1 ? undefined : ('text' as never)),
    });
    wire.attempt(1).start().head(503).end();
    await passBackoff(clock);
    expect(spy.error).toMatchObject({ name: 'HookError', hook: 'beforeAttempt' });
    expect(wire.attempts).toHaveLength(1);
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

test('a POST carries its idempotency key on each attempt, and is sent again after a 503', async () => {
  const { wire, spy, clock } = begin(
    { idempotencyKey: () => 'key' },
    { method: 'POST', headers: ['x-a', 'b'], body: 'text' },
  );
  wire.attempt(1).start().head(503).end();
  await passBackoff(clock);
  wire.attempt(2).start().head(200).end();
  const headers = { 'x-a': 'b', 'idempotency-key': 'key' };
  expect(wire.attempts.map(({ options }) => options.headers)).toEqual([headers, headers]);
  expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
});

test('of a list of headers, several values are kept', () => {
  const { headers } = ownOptions({ ...get, headers: ['a', '1', 'b', '3', 'a', '2'] });
  expect(changedHeaders(headers, { c: '3' })).toEqual({ a: ['1', '2'], b: '3', c: '3' });
  expect(changedHeaders(headers, { A: '4' })).toEqual({ b: '3', A: '4' });
});
