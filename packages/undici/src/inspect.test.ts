import { AsyncLocalStorage } from 'node:async_hooks';
import { attemptsOf, type InspectedResponse, inspectBody } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { bodyOf, errorInBody, errorInFirstEvent, type Look, settle, start } from '../test/inspect.ts';
import { get, passBackoff, setUp } from '../test/relay.ts';
import { ebbInterceptor } from './index.ts';

describe('a response is judged by its body before the handler gets any of it', () => {
  test('an error in a 200 is sent again', async () => {
    const { wire, spy, clock } = start(errorInBody);
    wire.attempt(1).start().head(200).data('{"error":').data('"overloaded"}').end();
    await passBackoff(clock);
    wire.attempt(2).start().head(200).data('{"ok":true}').end({ sum: '1' });
    await settle();
    expect(spy.calls).toEqual(['start', 'head 200', 'data {"ok":true}', 'end {"sum":"1"}']);
    expect(attemptsOf(spy.context)).toMatchObject([
      { attempt: 1, status: 200, reason: 'transient' },
      { attempt: 2, status: 200, reason: 'success' },
    ]);
    expect(clock.pending).toBe(0);
  });

  interface Stream {
    readonly name: string;
    readonly sent: readonly string[];
    readonly attempts: number;
  }
  test.each<Stream>([
    { name: 'an error', sent: ['event: error\ndata: {}\n\n'], attempts: 2 },
    {
      name: 'an error after pings',
      sent: ['event: ping\ndata: {}\n\n', 'event: error\ndata: {}\n\n'],
      attempts: 2,
    },
    { name: 'an error in parts', sent: ['event: err', 'or\nda', 'ta: {}\n', '\n'], attempts: 2 },
    { name: 'something else', sent: ['event: message_start\ndata: {}\n\n'], attempts: 1 },
    {
      name: 'something else before an error',
      sent: ['data: 1\n\n', 'event: error\ndata: {}\n\n'],
      attempts: 1,
    },
  ])('an event stream whose first event is $name: $attempts attempt(s)', async ({ sent, attempts }) => {
    const { wire, spy, clock } = start(errorInFirstEvent);
    wire.attempt(1).start().head(200);
    for (const part of sent) {
      wire.attempt(1).data(part);
      await settle();
    }
    const wasPassedOn = spy.calls.includes('head 200');
    wire.attempt(1).end();
    await passBackoff(clock);
    expect(wire.attempts).toHaveLength(attempts);
    expect(wasPassedOn).toBe(attempts === 1);
    expect(bodyOf(spy)).toBe(attempts === 1 ? sent.join('') : '');
    expect(clock.pending).toBe(0);
  });

  test('a stream goes on as it comes, once its first event is judged', async () => {
    const { wire, spy } = start(errorInFirstEvent);
    wire.attempt(1).start().head(200).data('data: 1\n\n');
    expect(spy.calls).toEqual(['start']);
    await settle();
    expect(spy.calls).toEqual(['start', 'head 200', 'data data: 1\n\n']);
    wire.attempt(1).data('data: 2\n\n');
    expect(spy.calls.at(-1)).toBe('data data: 2\n\n');
    wire.attempt(1).end({ sum: '2' });
    expect(spy.calls.at(-1)).toBe('end {"sum":"2"}');
    expect(spy.controllers.size).toBe(1);
  });

  test('a body longer than maxBytes is judged by its beginning', async () => {
    const seen: string[] = [];
    const { wire, spy } = start(async (response) => void seen.push(await response.text()), {
      maxBytes: 5,
    });
    wire.attempt(1).start().head(200).data('012').data('345').data('678');
    await settle();
    expect(seen).toEqual(['01234']);
    expect(bodyOf(spy)).toBe('012345678');
    wire.attempt(1).data('9').end();
    expect(spy.calls.slice(-2)).toEqual(['data 9', 'end {}']);
  });

  test('a body that does not come within timeoutMs is judged by what has come', async () => {
    const seen: string[] = [];
    const { wire, spy, clock } = start(async (response) => void seen.push(await response.text()), {
      timeoutMs: 500,
    });
    wire.attempt(1).start().head(200).data('slow');
    await clock.advance(499);
    expect([seen, spy.calls]).toEqual([[], ['start']]);
    await clock.advance(1);
    await settle();
    expect(seen).toEqual(['slow']);
    expect(spy.calls).toEqual(['start', 'head 200', 'data slow']);
    wire.attempt(1).data('er').end();
    expect(bodyOf(spy)).toBe('slower');
    expect(clock.pending).toBe(0);
  });

  test('an inspect that never settles holds the response for twice timeoutMs', async () => {
    const { wire, spy, clock } = start(() => new Promise(() => undefined), { timeoutMs: 500 });
    wire.attempt(1).start().head(200).data('a').end();
    await clock.advance(999);
    expect(spy.calls).toEqual(['start']);
    await clock.advance(1);
    await settle();
    expect(spy.calls).toEqual(['start', 'head 200', 'data a', 'end {}']);
  });

  test('a 202 with Retry-After is polled', async () => {
    const inspect: Look = ({ status }) => (status === 202 ? { verdict: 'refused' } : undefined);
    const { wire, spy, clock } = start(inspect, { totalTimeoutMs: 60_000 });
    for (const attempt of [1, 2]) {
      wire.attempt(attempt).start().head(202, { 'retry-after': '2' }).data('pending').end();
      await passBackoff(clock, 1_999);
      expect(wire.attempts).toHaveLength(attempt);
      await passBackoff(clock, 1);
    }
    wire.attempt(3).start().head(200).data('done').end();
    await settle();
    expect(spy.calls).toEqual(['start', 'head 200', 'data done', 'end {}']);
  });

  test('the wait that inspect names is waited', async () => {
    const inspect: Look = async (response) =>
      (await response.text()) === 'later' ? { verdict: 'refused', waitMs: 5_000 } : undefined;
    const { wire, spy, clock } = start(inspect);
    wire.attempt(1).start().head(429).data('later').end();
    await passBackoff(clock, 4_999);
    expect(wire.attempts).toHaveLength(1);
    await passBackoff(clock, 1);
    wire.attempt(2).start().head(200).end();
    await settle();
    expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
  });

  test('a 429 that inspect calls final is not sent again', async () => {
    const { wire, spy } = start(async (response) => {
      return (await response.text()) === 'no credit' ? { verdict: 'final' } : undefined;
    });
    wire.attempt(1).start().head(429).data('no credit').end();
    await settle();
    expect(spy.calls).toEqual(['start', 'head 429', 'data no credit', 'end {}']);
    expect(attemptsOf(spy.context)).toMatchObject([{ status: 429, reason: 'final' }]);
  });

  test('inspect gets status, headers, request and attempt, in the async context of the request', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const look = (response: InspectedResponse): undefined => {
      const { status, request, attempt } = response;
      seen.push([status, response.header('x-a'), request.method, attempt, storage.getStore()]);
    };
    const { wire, spy, clock, dispatch } = setUp({ inspect: inspectBody(look) });
    storage.run('caller', () => dispatch(get, spy));
    storage.run('socket', () => wire.attempt(1).start().head(503, { 'x-a': 'b' }).end());
    await passBackoff(clock);
    storage.run('socket', () => wire.attempt(2).start().head(200).end());
    await settle();
    expect(seen).toEqual([
      [503, 'b', 'GET', 1, 'caller'],
      [200, undefined, 'GET', 2, 'caller'],
    ]);
    expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
  });

  test.each([
    ['a HEAD', 'HEAD', 200],
    ['a 204', 'GET', 204],
  ])('%s has an empty body', async (_, method, status) => {
    const seen: unknown[] = [];
    const look: Look = async (response) =>
      void seen.push(await response.text(), await response.json(), await response.firstEvent());
    const { wire, spy } = start(look, {}, { method });
    wire.attempt(1).start().head(status, { 'content-encoding': 'gzip', 'content-length': '99' }).end();
    await settle();
    expect(seen).toEqual(['', undefined, undefined]);
    expect(spy.calls).toEqual(['start', `head ${status}`, 'end {}']);
  });

  test('an informational response is passed on at once, and an upgrade is not held', async () => {
    const seen: number[] = [];
    const { wire, spy } = start(({ status }) => void seen.push(status));
    wire.attempt(1).start().head(103);
    expect(spy.calls).toEqual(['start', 'head 103']);
    wire.attempt(1).handler.onRequestUpgrade(wire.attempt(1).connection, 101, {}, {} as never);
    expect([spy.calls.at(-1), seen]).toEqual(['upgrade 101', []]);
  });
});

test('a layer below another one holds nothing back', async () => {
  const seen: number[] = [];
  const inspect: Look = ({ status }) => void seen.push(status);
  const { wire, spy } = setUp();
  const inner = ebbInterceptor({ inspect: inspectBody(inspect) })(wire.dispatch);
  ebbInterceptor({ inspect: inspectBody(inspect) })(inner)(get, spy);
  wire.attempt(1).start().head(200).data('a').end();
  await settle();
  expect(spy.calls).toEqual(['start', 'head 200', 'data a', 'end {}']);
  expect(seen).toEqual([200]);
});
