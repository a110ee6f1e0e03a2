import { AsyncLocalStorage } from 'node:async_hooks';
import { attemptsOf, type PolicyOptions } from '@ebb/core';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { bucketThat, tokensFor } from '../test/bucket.ts';
import { begin, get, oneSlot, passBackoff, reset, type Setting, settle, setUp } from '../test/relay.ts';
import { acting } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';

describe('one request', () => {
  const thrown = new Error('thrown');
  const lost = reset();

  test.each<[what: string, error: Error, at: number, returned: boolean, calls: readonly string[]]>([
    ['an error: the handler gets it', thrown, 1, false, ['error thrown']],
    ['an error for a retry: the handler gets it', thrown, 2, true, ['start', 'error thrown']],
    ['a transient error: it is called again', lost, 1, true, ['start', 'head 200', 'end {}']],
  ])('a dispatcher that throws %s', async (_, error, at, returned, calls) => {
    let asked = 0;
    const throwing = (below: Dispatcher.Dispatch): Dispatcher.Dispatch =>
      function dispatch(options, handler) {
        asked += 1;
        if (asked === at) throw error;
        return below(options, handler);
      };
    const { wire, spy, clock, dispatch, events } = setUp(
      {},
      (policy) => (below) => ebbInterceptor(policy)(throwing(below)),
    );
    expect(dispatch(get, spy)).toBe(returned);
    if (at === 2) wire.attempt(1).start().head(503).end();
    await passBackoff(clock);
    if (error === lost) wire.attempt(1).start().head(200).end();
    expect(spy.calls).toEqual(calls);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: error === lost ? 'success' : 'final' });
    if (error === thrown) expect(attemptsOf(thrown).at(-1)).toMatchObject({ reason: 'final' });
  });

  test('the source of a recorded body is closed when the request fails', async () => {
    let isOpen = true;
    async function* source(): AsyncGenerator<string> {
      try {
        yield 'te';
        yield 'xt';
      } finally {
        isOpen = false;
      }
    }
    const headers = { 'content-length': '4', 'sec-fetch-mode': 'cors' };
    const { wire } = begin({}, { method: 'PUT', headers, body: source() });
    const sent = wire.attempt(1).options.body as unknown as AsyncIterable<string>;
    expect(await sent[Symbol.asyncIterator]().next()).toEqual({ done: false, value: 'te' });
    expect(isOpen).toBe(true);
    wire.attempt(1).start().fail(new Error('final'));
    await settle();
    expect(isOpen).toBe(false);
  });

  test('retries are dispatched in the async context of the request', async () => {
    const storage = new AsyncLocalStorage<string>();
    const stores: unknown[] = [];
    const noting = (below: Dispatcher.Dispatch): Dispatcher.Dispatch =>
      function dispatch(options, handler) {
        stores.push(storage.getStore());
        return below(options, handler);
      };
    const { wire, spy, clock, dispatch } = setUp(
      {},
      (policy) => (below) => ebbInterceptor(policy)(noting(below)),
    );
    storage.run('caller', () => dispatch(get, spy));
    storage.run('socket', () => wire.attempt(1).start().head(503).end());
    await passBackoff(clock);
    expect(stores).toEqual(['caller', 'caller']);
  });
});

const broken = new Error('broken');
const fail = (): never => {
  throw broken;
};

test.each<[string, PolicyOptions]>([
  ['classify', { classify: fail }],
  ['backoff', { backoff: fail }],
])('a %s that throws fails the request, and its connection is aborted', async (hook, options) => {
  const { wire, spy, clock } = begin(options);
  wire.attempt(1).start().head(503).data('no');
  expect(spy.error).toMatchObject({ name: 'HookError', hook });
  expect(spy.calls).toEqual(['start', expect.stringMatching(`error ${hook} failed`)]);
  expect(wire.attempt(1).connection.aborted).toBe(true);
  await passBackoff(clock);
  expect([wire.attempts.length, clock.pending]).toEqual([1, 0]);
});

test.each(['onResponseStart', 'onResponseData', 'onResponseEnd'] as const)(
  'a handler that throws in %s: undici gets the error, and there is no retry',
  async (method) => {
    const { wire, spy, clock } = begin({}, {}, acting(method, fail));
    const attempt = wire.attempt(1).start();
    const respond = () => attempt.head(200, { etag: '"a"', 'content-length': '10' }).data('x').end();
    expect(respond).toThrow(broken);
    // undici reports what the handler throws.
    attempt.fail(Object.assign(broken, { code: 'ECONNRESET' }));
    await passBackoff(clock);
    expect([spy.error, wire.attempts.length]).toEqual([broken, 1]);
  },
);

test('a handler that throws at the start of a wait ends the wait', async () => {
  const bucket = bucketThat({ tryAcquire: () => false });
  const { wire, spy } = begin({ bucket }, {}, acting('onRequestStart', fail));
  await settle();
  expect([spy.error, wire.attempts.length]).toEqual([broken, 0]);
});

test.each([{ maxRetries: 1 }, false, undefined] as const)('ebb: %j is for this layer alone', (ebb) => {
  const { wire } = begin({}, { ebb });
  expect(wire.attempt(1).options).toMatchObject(get);
  if (ebb !== undefined) expect(wire.attempt(1).options).not.toHaveProperty('ebb');
});

test('options that are wrong fail the request, and the dispatcher goes on', () => {
  const { wire, spy, dispatch } = setUp();
  expect(dispatch({ ...get, ebb: { maxRetries: -1 } }, spy)).toBe(false);
  expect(spy.error).toBeInstanceOf(RangeError);
  expect(wire.attempts).toHaveLength(0);
});

describe('upgrades', () => {
  const upgrade = { upgrade: 'websocket' };
  const connect = { method: 'CONNECT' };

  test('are passed on once', async () => {
    const { wire, spy, clock, events } = begin({}, upgrade);
    wire.attempt(1).start().fail(reset());
    await passBackoff(clock);
    const upgraded = wire.attempt(2).start().upgrade(101);
    expect([spy.calls, upgraded.destroyed]).toEqual([['start', 'upgrade 101'], false]);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'success' });
  });

  test('that a proxy refuses with 429 are retried', async () => {
    const { wire, spy, clock } = begin({}, connect);
    const refused = wire.attempt(1).start().upgrade(429);
    expect(refused.destroyed).toBe(true);
    // Ignored: the request has moved on to a retry.
    wire.attempt(1).fail(new Error('closed'));
    await passBackoff(clock);
    wire.attempt(2).start().upgrade(200);
    expect(spy.calls).toEqual(['start', 'upgrade 200']);
  });

  test('that a proxy refuses come to the handler if the retry is not sent', async () => {
    const { wire, spy, clock, events } = begin({ bucket: tokensFor(1) }, connect);
    const refused = wire.attempt(1).start().upgrade(429);
    expect([refused.destroyed, spy.calls]).toEqual([true, ['start']]);
    await passBackoff(clock);
    expect([spy.calls, wire.attempts.length]).toEqual([['start', 'upgrade 429'], 1]);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'limited' });
  });

  test('about which classify throws are closed, and fail', () => {
    const { wire, spy } = begin({ classify: fail }, upgrade);
    expect(wire.attempt(1).start().upgrade(101).destroyed).toBe(true);
    expect(spy.error).toMatchObject({ name: 'HookError' });
  });

  test('free their slot', () => {
    const concurrency = oneSlot();
    const { wire }: Setting = begin({ concurrency }, upgrade);
    const attempt = wire.attempt(1).start();
    expect(concurrency.stats().inUse).toBe(1);
    attempt.upgrade(101);
    expect(concurrency.stats().inUse).toBe(0);
  });
});
