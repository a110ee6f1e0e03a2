import { AsyncLocalStorage } from 'node:async_hooks';
import { attemptsOf, concurrencyLimit, constant, type EbbEvent, type PolicyOptions } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { bucketThat, tokensFor } from '../test/bucket.ts';
import { begin, get, passBackoff, reset, setUp, time } from '../test/relay.ts';
import { Wire } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';

describe('one request', () => {
  test('a success passes through without a timer and within the same turn of the event loop', () => {
    const { wire, spy, clock, dispatch } = setUp();
    expect(dispatch(get, spy)).toBe(true);
    expect(wire.attempt(1).options).toEqual(get);
    wire.attempt(1).start().head(200).data('a').data('b').end({ sum: '1' });
    expect(spy.calls).toEqual(['start', 'head 200', 'data a', 'data b', 'end {"sum":"1"}']);
    expect(clock.pending).toBe(0);
  });

  test('dispatch returns what the dispatcher below returns', () => {
    const { wire, spy, dispatch } = setUp();
    wire.returns = false;
    expect(dispatch(get, spy)).toBe(false);
  });

  test('over several attempts the handler starts once, with one controller', async () => {
    const { wire, spy, clock } = begin();
    wire.attempt(1).start().head(503).data('no').end();
    await passBackoff(clock);
    wire.attempt(2).start().fail(reset());
    await passBackoff(clock);
    wire.attempt(3).start().head(200).data('yes').end();
    expect(spy.calls).toEqual(['start', 'head 200', 'data yes', 'end {}']);
    expect(spy.controllers.size).toBe(1);
    expect(attemptsOf(spy.context)).toMatchObject([
      { attempt: 1, status: 503, delayMs: 0, reason: 'transient' },
      { attempt: 2, failure: 'network', code: 'ECONNRESET', delayMs: 100, reason: 'transient' },
      { attempt: 3, status: 200, delayMs: 100, reason: 'success' },
    ]);
    expect(clock.pending).toBe(0);
  });

  test('an error that the dispatcher throws is given to the handler', () => {
    const { spy, events, clock } = setUp();
    const thrown = new Error('thrown');
    const onEvent = (event: EbbEvent): void => void events.push(event);
    const throwing = ebbInterceptor({ onEvent, clock })(() => {
      throw thrown;
    });
    expect(throwing(get, spy)).toBe(false);
    expect(spy.calls).toEqual(['error thrown']);
    expect(attemptsOf(thrown)).toMatchObject([{ reason: 'final' }]);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'final' });
  });

  test('a dispatcher that throws for a retry fails the request', async () => {
    const { spy, clock } = setUp();
    const wire = new Wire();
    const dispatch = ebbInterceptor({ clock, backoff: constant(100) })((options, handler) => {
      if (wire.attempts.length > 0) throw new Error('thrown');
      return wire.dispatch(options, handler);
    });
    dispatch(get, spy);
    wire.attempt(1).start().head(503).end();
    await passBackoff(clock);
    expect(spy.calls).toEqual(['start', 'error thrown']);
  });

  test('a dispatcher that throws a transient error is called again', async () => {
    const { spy, clock } = setUp();
    const wire = new Wire();
    let calls = 0;
    const dispatch = ebbInterceptor({ clock, backoff: constant(100) })((options, handler) => {
      calls += 1;
      if (calls === 1) throw reset();
      return wire.dispatch(options, handler);
    });
    expect(dispatch(get, spy)).toBe(true);
    await passBackoff(clock);
    wire.attempt(1).start().head(200).end();
    expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
  });

  test('a dispatcher that fails without a controller fails the request once', () => {
    const { wire, dispatch, spy } = setUp();
    const error = new Error('thrown');
    dispatch(get, spy);
    wire.attempt(1).handler.onResponseError(null as never, error);
    wire.attempt(1).handler.onResponseError(null as never, error);
    expect(spy.calls).toEqual(['error thrown']);
    expect(spy.error).toBe(error);
  });

  test('the source of a recorded body is closed when the request fails', async () => {
    const { wire, spy, dispatch } = setUp();
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
    dispatch({ ...get, method: 'PUT', headers, body: source() as never }, spy);
    const sent = wire.attempt(1).options.body as unknown as AsyncIterable<string>;
    for await (const chunk of sent) {
      expect(chunk).toBe('te');
      break;
    }
    expect(isOpen).toBe(true);
    wire.attempt(1).start().fail(new Error('final'));
    await nextTurn();
    expect(isOpen).toBe(false);
  });

  test('retries run in the async context of the request', async () => {
    const { clock, spy } = setUp();
    const storage = new AsyncLocalStorage<string>();
    const wire = new Wire();
    const stores: unknown[] = [];
    const dispatch = ebbInterceptor({ clock, backoff: constant(100) })((options, handler) => {
      stores.push(storage.getStore());
      return wire.dispatch(options, handler);
    });
    storage.run('caller', () => dispatch(get, spy));
    storage.run('socket', () => wire.attempt(1).start().head(503).end());
    await passBackoff(clock);
    expect(stores).toEqual(['caller', 'caller']);
  });
});

describe('hooks that throw', () => {
  const broken = (): never => {
    throw new Error('broken');
  };

  test.each<[string, PolicyOptions]>([
    ['classify', { classify: broken }],
    ['backoff', { backoff: broken }],
  ])('%s: the request fails, and its connection is aborted', async (hook, options) => {
    const { wire, spy, clock } = begin(options);
    wire.attempt(1).start().head(503).data('no');
    expect(spy.error).toMatchObject({ name: 'HookError', hook });
    expect(spy.calls).toEqual(['start', expect.stringMatching(`error ${hook} failed`)]);
    expect(wire.attempt(1).connection.aborted).toBe(true);
    await passBackoff(clock);
    expect(wire.attempts).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test('an observer that aborts the request ends it', async () => {
    const { wire, spy, clock, dispatch } = setUp({
      onEvent: (event) => event.type === 'retry' && controllerOf()?.abort(new Error('seen')),
    });
    const controllerOf = (): Dispatcher.DispatchController | undefined => spy.controller;
    dispatch(get, spy);
    wire.attempt(1).start().head(503).data('no');
    await passBackoff(clock);
    expect(spy.calls).toEqual(['start', 'error seen']);
    expect(wire.attempts).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});

describe('a handler that throws', () => {
  const broken = new Error('broken');
  const fail = (): never => {
    throw broken;
  };

  test('in the response: undici gets the error, and there is no retry', async () => {
    for (const method of ['onResponseStart', 'onResponseData'] as const) {
      const { wire, spy, clock, dispatch } = setUp();
      spy[method] = fail;
      dispatch(get, spy);
      const attempt = wire.attempt(1).start();
      expect(() => attempt.head(200, { etag: '"a"', 'content-length': '10' }).data('x')).toThrow(broken);
      attempt.fail(Object.assign(broken, { code: 'ECONNRESET' }));
      await passBackoff(clock);
      expect(spy.error).toBe(broken);
      expect(wire.attempts).toHaveLength(1);
    }
  });

  test('at the end of the response gets its error', () => {
    const { wire, spy, dispatch } = setUp();
    spy.onResponseEnd = fail;
    dispatch(get, spy);
    const { connection, handler } = wire.attempt(1).start().head(200);
    // undici reports what onResponseEnd throws.
    expect(() => handler.onResponseEnd(connection, {})).toThrow(broken);
    handler.onResponseError(connection, broken);
    expect(spy.error).toBe(broken);
  });

  test('at the start of a wait ends the wait', async () => {
    const bucket = bucketThat({ tryAcquire: () => false });
    const { wire, spy, dispatch } = setUp({ bucket });
    spy.onRequestStart = fail;
    dispatch(get, spy);
    await nextTurn();
    expect(spy.error).toBe(broken);
    expect(wire.attempts).toHaveLength(0);
  });
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
  test('are passed on once', async () => {
    const { wire, spy, clock, events } = begin({}, { upgrade: 'websocket' });
    wire.attempt(1).start().fail(reset());
    await passBackoff(clock);
    const upgraded = wire.attempt(2).start().upgrade(101);
    expect(spy.calls).toEqual(['start', 'upgrade 101']);
    expect(upgraded.destroyed).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'success' });
  });

  test('that a proxy refuses with 429 are retried', async () => {
    const { wire, spy, clock } = begin({}, { method: 'CONNECT' });
    const refused = wire.attempt(1).start().upgrade(429);
    expect(refused.destroyed).toBe(true);
    // Ignored: the request has moved on to a retry.
    wire.attempt(1).fail(new Error('closed'));
    await passBackoff(clock);
    wire.attempt(2).start().upgrade(200);
    expect(spy.calls).toEqual(['start', 'upgrade 200']);
  });

  test('that a proxy refuses come to the handler if the retry is not sent', async () => {
    const { wire, spy, clock, events } = begin({ bucket: tokensFor(1) }, { method: 'CONNECT' });
    const refused = wire.attempt(1).start().upgrade(429);
    expect([refused.destroyed, spy.calls]).toEqual([true, ['start']]);
    await passBackoff(clock);
    expect(spy.calls).toEqual(['start', 'upgrade 429']);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'limited' });
    expect(wire.attempts).toHaveLength(1);
  });

  test('about which classify throws are closed, and fail', () => {
    const classify = (): never => {
      throw new Error('no verdict');
    };
    const { wire, spy } = begin({ classify }, { upgrade: 'websocket' });
    const upgraded = wire.attempt(1).start().upgrade(101);
    expect(upgraded.destroyed).toBe(true);
    expect(spy.error).toMatchObject({ name: 'HookError' });
  });

  test('free their slot', () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock: time });
    const { wire } = begin({ concurrency }, { upgrade: 'websocket' });
    const attempt = wire.attempt(1).start();
    expect(concurrency.stats().inUse).toBe(1);
    attempt.upgrade(101);
    expect(concurrency.stats().inUse).toBe(0);
  });

  test('can be aborted by the handler', () => {
    const { wire, spy, dispatch } = setUp();
    spy.onRequestUpgrade = (controller) => controller.abort(new Error('bad upgrade'));
    dispatch({ ...get, upgrade: 'websocket' }, spy);
    wire.attempt(1).start().upgrade(101);
    expect(spy.calls).toEqual(['start', 'error bad upgrade']);
    expect(wire.attempt(1).connection.aborted).toBe(true);
  });
});
