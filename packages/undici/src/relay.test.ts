import { AsyncLocalStorage } from 'node:async_hooks';
import { attemptsOf, constant, createPolicy, type EbbEvent, type PolicyOptions } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { type Dispatcher, errors } from 'undici';
import { describe, expect, test, vi } from 'vitest';
import { bucketThat } from '../test/bucket.ts';
import { Heard, Wire } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';

const get = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;
const reset = (): Error => Object.assign(new Error('reset'), { code: 'ECONNRESET' });

interface Setting {
  readonly wire: Wire;
  readonly heard: Heard;
  readonly clock: VirtualClock;
  readonly events: EbbEvent[];
  readonly dispatch: Dispatcher.Dispatch;
}

function setUp(options: PolicyOptions = {}): Setting {
  const wire = new Wire();
  const clock = virtualClock();
  const events: EbbEvent[] = [];
  const onEvent = (event: EbbEvent): void => void events.push(event);
  const policy = createPolicy({ backoff: constant(100), random: () => 0, clock, onEvent, ...options });
  return { wire, clock, events, heard: new Heard(), dispatch: ebbInterceptor(policy)(wire.dispatch) };
}

/** Lets the backoff pass and the next attempt go out. */
async function pass(clock: VirtualClock, durationMs = 100): Promise<void> {
  await clock.advance(durationMs);
  await nextTurn();
  await nextTurn();
}

describe('one request', () => {
  test('a success passes straight through, with neither a timer nor a turn of the event loop', () => {
    const { wire, heard, clock, dispatch } = setUp();
    expect(dispatch(get, heard)).toBe(true);
    expect(wire.attempt(1).options).toBe(get);
    wire.attempt(1).start().head(200).data('a').data('b').end({ sum: '1' });
    expect(heard.told).toEqual(['start', 'head 200', 'data a', 'data b', 'end {"sum":"1"}']);
    expect(clock.pending).toBe(0);
  });

  test('the answer of dispatch is that of the dispatcher below', () => {
    const { wire, heard, dispatch } = setUp();
    wire.answer = false;
    expect(dispatch(get, heard)).toBe(false);
  });

  test('however many attempts there are, the handler starts once, with one controller', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().head(503).data('no').end();
    await pass(clock);
    wire.attempt(2).start().fail(reset());
    await pass(clock);
    wire.attempt(3).start().head(200).data('yes').end();
    expect(heard.told).toEqual(['start', 'head 200', 'data yes', 'end {}']);
    expect(heard.controllers.size).toBe(1);
    expect(attemptsOf(heard.context)).toMatchObject([
      { attempt: 1, status: 503, delayMs: 0, reason: 'transient' },
      { attempt: 2, failure: 'network', code: 'ECONNRESET', delayMs: 100, reason: 'transient' },
      { attempt: 3, status: 200, delayMs: 100, reason: 'success' },
    ]);
    expect(clock.pending).toBe(0);
  });

  test('the last failing response comes whole', async () => {
    const { wire, heard, clock, dispatch } = setUp({ maxRetries: 1 });
    dispatch(get, heard);
    wire.attempt(1).start().head(503).data('first').end();
    await pass(clock);
    wire.attempt(2).start().head(503).data('last').end({ sum: '2' });
    expect(heard.told).toEqual(['start', 'head 503', 'data last', 'end {"sum":"2"}']);
  });

  test('the last error comes as it is, with its history', async () => {
    const { wire, heard, clock, dispatch } = setUp({ maxRetries: 1 });
    const last = reset();
    dispatch(get, heard);
    wire.attempt(1).start().fail(reset());
    await pass(clock);
    wire.attempt(2).start().fail(last);
    expect(heard.error).toBe(last);
    expect(attemptsOf(last)).toHaveLength(2);
    expect(heard.told).toEqual(['start', 'error reset']);
  });

  test('what a dispatcher throws its caller hears, as without ebb, and the handler does not', () => {
    const { heard, events, clock } = setUp();
    const thrown = new Error('thrown');
    const onEvent = (event: EbbEvent): void => void events.push(event);
    const throwing = ebbInterceptor({ onEvent, clock })(() => {
      throw thrown;
    });
    expect(() => throwing(get, heard)).toThrow(thrown);
    expect(heard.told).toEqual([]);
    expect(attemptsOf(thrown)).toMatchObject([{ reason: 'final' }]);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'final' });
  });

  test('a dispatcher that throws at a retry fails the request', async () => {
    const { heard, clock } = setUp();
    const wire = new Wire();
    const dispatch = ebbInterceptor({ clock, backoff: constant(100) })((options, handler) => {
      if (wire.attempts.length > 0) throw new Error('thrown');
      return wire.dispatch(options, handler);
    });
    dispatch(get, heard);
    wire.attempt(1).start().head(503).end();
    await pass(clock);
    expect(heard.told).toEqual(['start', 'error thrown']);
  });

  test('a dispatcher that throws what may pass is asked again', async () => {
    const { heard, clock } = setUp();
    const wire = new Wire();
    let calls = 0;
    const dispatch = ebbInterceptor({ clock, backoff: constant(100) })((options, handler) => {
      calls += 1;
      if (calls === 1) throw reset();
      return wire.dispatch(options, handler);
    });
    expect(dispatch(get, heard)).toBe(true);
    await pass(clock);
    wire.attempt(1).start().head(200).end();
    expect(heard.told).toEqual(['start', 'head 200', 'end {}']);
  });

  test('a dispatcher that fails without a controller fails the request once', () => {
    const { wire, dispatch, heard } = setUp();
    const error = new Error('thrown');
    dispatch(get, heard);
    wire.attempt(1).handler.onResponseError(null as never, error);
    wire.attempt(1).handler.onResponseError(null as never, error);
    expect(heard.told).toEqual(['error thrown']);
    expect(heard.error).toBe(error);
  });

  test('informational responses come once, those of a retry no second time', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().head(102).head(102).head(103).head(503).end();
    await pass(clock);
    wire.attempt(2).start().head(102).head(103).head(104).head(200).end();
    expect(heard.told).toEqual([
      'start',
      'head 102',
      'head 102',
      'head 103',
      'head 104',
      'head 200',
      'end {}',
    ]);
  });

  test('raw headers and trailers are those of the response that is given', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch(get, heard);
    const [first, second] = [[Buffer.from('first')], [Buffer.from('second')]];
    wire.attempt(1).connection.rawHeaders = first;
    wire.attempt(1).start().head(503).end();
    expect(heard.controller?.rawHeaders).toBe(null);
    await pass(clock);
    wire.attempt(2).connection.rawHeaders = second;
    wire.attempt(2).start().head(200);
    expect(heard.controller?.rawHeaders).toBe(second);
    wire.attempt(2).connection.rawTrailers = first;
    wire.attempt(2).end();
    expect(heard.controller?.rawTrailers).toBe(first);
  });

  test('what attempts have to say of their context comes together in one', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch(get, heard);
    wire
      .attempt(1)
      .start({ history: ['a'] })
      .head(503)
      .end();
    expect(heard.context).toMatchObject({ history: ['a'] });
    await pass(clock);
    wire
      .attempt(2)
      .start({ history: ['b'] })
      .head(200)
      .end();
    expect(heard.context).toMatchObject({ history: ['b'] });
  });

  test('the first byte of a response is told of once, with the response', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    const started = Object.assign(heard, { onResponseStarted: () => heard.told.push('first byte') });
    dispatch(get, started);
    wire.attempt(1).start().head(503).end();
    await pass(clock);
    wire.attempt(2).start().head(200).end();
    expect(heard.told).toEqual(['start', 'first byte', 'head 200', 'end {}']);
  });

  test('what comes of an attempt that was given up is not heard', async () => {
    const { wire, heard, clock, dispatch } = setUp({ attemptTimeoutMs: 50 });
    dispatch(get, heard);
    const first = wire.attempt(1).start();
    // A dispatcher that ignores its controller.
    first.connection.abort = () => undefined;
    await pass(clock, 50);
    await pass(clock);
    const socket = { destroy: vi.fn() };
    first.handler.onRequestUpgrade(first.connection, 101, {}, socket as never);
    expect(socket.destroy).toHaveBeenCalledOnce();
    first.head(200).data('late').end();
    wire.attempt(2).start().head(200).data('right').end();
    first.fail(reset());
    expect(heard.told).toEqual(['start', 'head 200', 'data right', 'end {}']);
  });

  test('each start of the first attempt is told, as without ebb', () => {
    const { wire, heard, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().start().head(200).end();
    expect(heard.told).toEqual(['start', 'start', 'head 200', 'end {}']);
    expect(heard.controllers.size).toBe(1);
  });

  test('an upload is told once, as far as the longest attempt got', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    const sent: string[] = [];
    const watching = Object.assign(heard, {
      onBodySent: (chunk: Buffer) => void sent.push(String(chunk)),
      onRequestSent: () => void sent.push('sent'),
    });
    dispatch({ ...get, method: 'PUT', body: 'abcdef' }, watching);
    const chunks = (number: number, ...texts: readonly string[]): void => {
      for (const text of texts) wire.attempt(number).handler.onBodySent(Buffer.from(text));
    };
    chunks(1, 'abc', 'd');
    wire.attempt(1).start().fail(reset());
    await pass(clock);
    chunks(2, 'ab', 'cde', 'f');
    wire.attempt(2).handler.onRequestSent();
    wire.attempt(2).start().head(503).end();
    await pass(clock);
    chunks(3, 'abcdef');
    wire.attempt(3).handler.onRequestSent();
    expect(sent).toEqual(['abc', 'd', 'e', 'f', 'sent']);
  });

  test('nobody listens to an upload for a handler that does not', () => {
    const { wire, heard, dispatch } = setUp();
    dispatch(get, heard);
    expect(wire.attempt(1).handler.onBodySent).toBe(undefined);
    expect(wire.attempt(1).handler.onRequestSent).toBe(undefined);
  });

  test('a body that was kept is let go of when the request comes to nothing', async () => {
    const { wire, heard, dispatch } = setUp();
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
    dispatch({ ...get, method: 'PUT', headers, body: source() as never }, heard);
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

  test('retries run where the request was made', async () => {
    const { clock, heard } = setUp();
    const storage = new AsyncLocalStorage<string>();
    const wire = new Wire();
    const stores: unknown[] = [];
    const dispatch = ebbInterceptor({ clock, backoff: constant(100) })((options, handler) => {
      stores.push(storage.getStore());
      return wire.dispatch(options, handler);
    });
    storage.run('caller', () => dispatch(get, heard));
    storage.run('socket', () => wire.attempt(1).start().head(503).end());
    await pass(clock);
    expect(stores).toEqual(['caller', 'caller']);
  });
});

describe('backpressure', () => {
  test('pause and resume reach the connection that the data comes on', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().head(503).end();
    await pass(clock);
    wire.attempt(2).start().head(200);
    heard.controller?.pause();
    expect(heard.controller?.paused).toBe(true);
    heard.controller?.resume();
    expect(heard.controller?.paused).toBe(false);
    expect(wire.attempt(1).connection.asked).toEqual([]);
    expect(wire.attempt(2).connection.asked).toEqual(['pause', 'resume']);
  });

  test('a pause before the response does not hold back what is discarded, only what is given', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start();
    heard.controller?.pause();
    wire.attempt(1).head(503).data('no').end();
    expect(wire.attempt(1).connection.asked).toEqual([]);
    await pass(clock);
    wire.attempt(2).start().head(200);
    expect(wire.attempt(2).connection.asked).toEqual(['pause']);
  });
});

describe('a discarded response', () => {
  test('is read to its end before the next attempt goes out', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().head(503).data('no');
    await pass(clock);
    expect(wire.attempts).toHaveLength(1);
    wire.attempt(1).data('no').end();
    await pass(clock, 0);
    expect(wire.attempts).toHaveLength(2);
    expect(wire.attempt(1).connection.aborted).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['is broken off when it says that it is too long', { 'content-length': '262145' }, 0, true],
    ['is read when it says that it is as long as may be', { 'content-length': '262144' }, 0, false],
    ['is broken off when it turns out too long', {}, 262_145, true],
    ['is read when it turns out as long as may be', {}, 262_144, false],
  ])('%s', async (_, headers, bytes, aborted) => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch(get, heard);
    wire
      .attempt(1)
      .start()
      .head(503, headers as Record<string, string>);
    if (bytes > 0) wire.attempt(1).data('x'.repeat(bytes));
    expect(wire.attempt(1).connection.aborted).toBe(aborted);
    if (!aborted) wire.attempt(1).end();
    await pass(clock);
    expect(wire.attempts).toHaveLength(2);
    expect(clock.pending).toBe(0);
    expect(heard.told).toEqual(['start']);
  });

  test('of a HEAD has no body, whatever its length', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch({ ...get, method: 'HEAD' }, heard);
    wire.attempt(1).start().head(503, { 'content-length': '99999999' }).end();
    expect(wire.attempt(1).connection.aborted).toBe(false);
    await pass(clock);
    expect(wire.attempts).toHaveLength(2);
  });

  test('that never ends is broken off after a second', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().head(503).data('and so on');
    await pass(clock, 999);
    expect(wire.attempt(1).connection.aborted).toBe(false);
    await pass(clock, 1);
    expect(wire.attempt(1).connection.aborted).toBe(true);
    expect(wire.attempts).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  test('that breaks by itself does not matter', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().head(503).fail(reset());
    await pass(clock);
    wire.attempt(2).start().head(200).end();
    expect(heard.told).toEqual(['start', 'head 200', 'end {}']);
  });
});

describe('an abort', () => {
  const reason = new Error('enough');

  test('during the backoff ends it at once, and leaves no timer', async () => {
    const { wire, heard, clock, dispatch, events } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().head(503).end();
    heard.controller?.abort(reason);
    expect(heard.controller).toMatchObject({ aborted: true, reason });
    await nextTurn();
    expect(heard.told).toEqual(['start', 'error enough']);
    expect(heard.error).toBe(reason);
    expect(attemptsOf(reason)).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'aborted' });
    await pass(clock, 1e9);
    expect(wire.attempts).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test('while a response is discarded lets go of its connection, too', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().head(503).data('no');
    heard.controller?.abort(reason);
    expect(wire.attempt(1).connection.reason).toBe(reason);
    await nextTurn();
    expect(heard.error).toBe(reason);
    expect(clock.pending).toBe(0);
  });

  test('of an attempt under way reaches its connection', () => {
    const { wire, heard, dispatch, events } = setUp();
    const reason = new Error('enough');
    dispatch(get, heard);
    wire.attempt(1).start();
    heard.controller?.abort(reason);
    heard.controller?.abort(new Error('again'));
    expect(heard.controller?.reason).toBe(reason);
    expect(wire.attempt(1).connection.reason).toBe(reason);
    expect(heard.told).toEqual(['start', 'error enough']);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'aborted' });
    expect(attemptsOf(reason)).toMatchObject([{ failure: 'aborted', reason: 'aborted' }]);
  });

  test('in the body of the response reaches its connection, and nothing is sent again', () => {
    const { wire, heard, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().head(200, { etag: '"a"', 'content-length': '10' }).data('12345');
    heard.controller?.abort(reason);
    expect(wire.attempt(1).connection.reason).toBe(reason);
    expect(heard.error).toBe(reason);
    expect(wire.attempts).toHaveLength(1);
  });

  test('of a retry that undici keeps in a queue ends the request, and the retry is not sent', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().head(503).end();
    await pass(clock);
    heard.controller?.abort(reason);
    expect(heard.error).toBe(reason);
    wire.attempt(2).start();
    expect(wire.attempt(2).connection.reason).toBe(reason);
    expect(heard.told).toEqual(['start', 'error enough']);
  });

  test('as the handler starts sends nothing', () => {
    const { wire, heard, dispatch } = setUp();
    heard.onRequestStart = (controller) => controller.abort(reason);
    dispatch(get, heard);
    wire.attempt(1).start();
    expect(wire.attempt(1).connection.aborted).toBe(true);
    expect(heard.told).toEqual(['error enough']);
  });

  test('by an observer, as a retry is about to be sent, keeps it back', async () => {
    const setting: Setting = setUp({
      onEvent: ({ type, attempt }) => {
        if (type === 'attempt' && attempt === 2) setting.heard.controller?.abort(reason);
      },
    });
    const { wire, heard, clock, dispatch } = setting;
    dispatch(get, heard);
    wire.attempt(1).start().head(503).end();
    await pass(clock);
    expect(wire.attempts).toHaveLength(1);
    expect(heard.told).toEqual(['start', 'error enough']);
  });

  test('while it waits for a token gives the token back, and sends nothing', async () => {
    const asked: (AbortSignal | undefined)[] = [];
    const bucket = bucketThat({
      tryAcquire: () => false,
      acquire: ({ signal }) => {
        asked.push(signal);
        return new Promise<never>((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        });
      },
    });
    const { wire, heard, dispatch } = setUp({ bucket });
    expect(dispatch(get, heard)).toBe(true);
    expect(heard.told).toEqual(['start']);
    await nextTurn();
    heard.controller?.abort(reason);
    await nextTurn();
    expect(heard.error).toBe(reason);
    expect(asked[0]?.reason).toBe(reason);
    expect(wire.attempts).toHaveLength(0);
  });

  test('without a reason is undici’s own', async () => {
    const { wire, heard, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().head(503).end();
    heard.controller?.abort(undefined as never);
    await nextTurn();
    expect(heard.error).toBeInstanceOf(errors.RequestAbortedError);
    expect(heard.error).toMatchObject({ name: 'AbortError', code: 'UND_ERR_ABORTED' });
  });

  test('after the end is nothing', () => {
    const { wire, heard, dispatch } = setUp();
    dispatch(get, heard);
    wire.attempt(1).start().head(200).end();
    heard.controller?.abort(reason);
    expect(heard.told.at(-1)).toBe('end {}');
    expect(wire.attempt(1).connection.asked).toEqual([]);
  });
});

describe('attemptTimeoutMs', () => {
  test('ends an attempt without a response, with undici’s own error', async () => {
    const { wire, heard, clock, dispatch } = setUp({ attemptTimeoutMs: 50, maxRetries: 1 });
    dispatch(get, heard);
    wire.attempt(1).start();
    await pass(clock, 50);
    expect(wire.attempt(1).connection.reason).toBeInstanceOf(errors.HeadersTimeoutError);
    await pass(clock);
    wire.attempt(2).start();
    await pass(clock, 50);
    expect(heard.error).toBeInstanceOf(errors.HeadersTimeoutError);
    expect(heard.error).toBeInstanceOf(errors.UndiciError);
    expect(heard.error).toMatchObject({ name: 'HeadersTimeoutError', code: 'UND_ERR_HEADERS_TIMEOUT' });
    expect(attemptsOf(heard.error)).toMatchObject([{ failure: 'timeout' }, { failure: 'timeout' }]);
    expect(heard.controller?.aborted).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test('holds for an attempt that undici keeps in a queue, which then is not sent', async () => {
    const { wire, heard, clock, dispatch } = setUp({ attemptTimeoutMs: 50 });
    dispatch(get, heard);
    await pass(clock, 50);
    wire.attempt(1).start();
    expect(wire.attempt(1).connection.aborted).toBe(true);
    expect(heard.told).toEqual(['start']);
    await pass(clock);
    wire.attempt(2).start().head(200).end();
    expect(heard.told).toEqual(['start', 'head 200', 'end {}']);
  });

  test('ends with the headers, and does not bound the body', async () => {
    const { wire, heard, clock, dispatch } = setUp({ attemptTimeoutMs: 50 });
    dispatch(get, heard);
    wire.attempt(1).start().head(103);
    expect(clock.pending).toBe(1);
    wire.attempt(1).head(200);
    expect(clock.pending).toBe(0);
    await pass(clock, 1_000);
    wire.attempt(1).data('late').end();
    expect(heard.told.at(-1)).toBe('end {}');
  });

  test.each<[string, (wire: Wire) => unknown]>([
    ['an error', (wire) => wire.attempt(1).start().fail(new Error('final'))],
    [
      'an upgrade',
      (wire) =>
        wire
          .attempt(1)
          .start()
          .handler.onRequestUpgrade({} as never, 101, {}, {} as never),
    ],
  ])('leaves no timer after %s', (_, happen) => {
    const { wire, heard, clock, dispatch } = setUp({ attemptTimeoutMs: 50 });
    dispatch(get, heard);
    happen(wire);
    expect(clock.pending).toBe(0);
  });
});

describe('hooks that throw', () => {
  const broken = (): never => {
    throw new Error('broken');
  };

  test.each<[string, PolicyOptions]>([
    ['classify', { classify: broken }],
    ['backoff', { backoff: broken }],
  ])('%s: the request fails, and its connection is let go', async (hook, options) => {
    const { wire, heard, clock, dispatch } = setUp(options);
    dispatch(get, heard);
    wire.attempt(1).start().head(503).data('no');
    expect(heard.error).toMatchObject({ name: 'HookError', hook });
    expect(heard.told).toEqual(['start', expect.stringMatching(`error ${hook} failed`)]);
    expect(wire.attempt(1).connection.aborted).toBe(true);
    await pass(clock);
    expect(wire.attempts).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test('cost, at the first attempt and at the second', async () => {
    const bucket = bucketThat({ tryAcquire: () => true });
    const first = setUp({ bucket, cost: broken });
    first.dispatch(get, first.heard);
    await nextTurn();
    expect(first.heard.error).toMatchObject({ hook: 'cost' });
    expect(first.wire.attempts).toHaveLength(0);

    let calls = 0;
    const second = setUp({ bucket, cost: () => (calls++ === 0 ? 1 : broken()) });
    second.dispatch(get, second.heard);
    second.wire.attempt(1).start().head(503).end();
    await pass(second.clock);
    expect(second.heard.error).toMatchObject({ hook: 'cost' });
  });

  test('an observer that aborts the request ends it', async () => {
    const { wire, heard, clock, dispatch } = setUp({
      onEvent: (event) => event.type === 'retry' && heardOf()?.abort(new Error('seen')),
    });
    const heardOf = (): Dispatcher.DispatchController | undefined => heard.controller;
    dispatch(get, heard);
    wire.attempt(1).start().head(503).data('no');
    await pass(clock);
    expect(heard.told).toEqual(['start', 'error seen']);
    expect(wire.attempts).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});

describe('a handler that throws', () => {
  const broken = new Error('broken');
  const fail = (): never => {
    throw broken;
  };

  test('at the response: undici learns of it, and nothing is sent again', async () => {
    for (const method of ['onResponseStart', 'onResponseData'] as const) {
      const { wire, heard, clock, dispatch } = setUp();
      heard[method] = fail;
      dispatch(get, heard);
      const attempt = wire.attempt(1).start();
      expect(() => attempt.head(200, { etag: '"a"', 'content-length': '10' }).data('x')).toThrow(broken);
      attempt.fail(Object.assign(broken, { code: 'ECONNRESET' }));
      await pass(clock);
      expect(heard.error).toBe(broken);
      expect(wire.attempts).toHaveLength(1);
    }
  });

  test('at the end hears of it', () => {
    const { wire, heard, dispatch } = setUp();
    heard.onResponseEnd = fail;
    dispatch(get, heard);
    const { connection, handler } = wire.attempt(1).start().head(200);
    // What undici does with it.
    expect(() => handler.onResponseEnd(connection, {})).toThrow(broken);
    handler.onResponseError(connection, broken);
    expect(heard.error).toBe(broken);
  });

  test('at the start of a wait ends it', async () => {
    const bucket = bucketThat({ tryAcquire: () => false });
    const { wire, heard, dispatch } = setUp({ bucket });
    heard.onRequestStart = fail;
    dispatch(get, heard);
    await nextTurn();
    expect(heard.error).toBe(broken);
    expect(wire.attempts).toHaveLength(0);
  });
});

describe('upgrades', () => {
  const socket = (): { destroyed: boolean; destroy(): void } => ({
    destroyed: false,
    destroy() {
      this.destroyed = true;
    },
  });

  test('are passed on, once', async () => {
    const { wire, heard, clock, dispatch, events } = setUp();
    dispatch({ ...get, upgrade: 'websocket' }, heard);
    wire.attempt(1).start().fail(reset());
    await pass(clock);
    const upgraded = socket();
    wire
      .attempt(2)
      .start()
      .handler.onRequestUpgrade({} as never, 101, {}, upgraded as never);
    expect(heard.told).toEqual(['start', 'upgrade 101']);
    expect(upgraded.destroyed).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'success' });
  });

  test('that a proxy refuses for now are asked for again', async () => {
    const { wire, heard, clock, dispatch } = setUp();
    dispatch({ ...get, method: 'CONNECT' }, heard);
    const refused = socket();
    wire
      .attempt(1)
      .start()
      .handler.onRequestUpgrade({} as never, 429, {}, refused as never);
    expect(refused.destroyed).toBe(true);
    // What comes of it now is not about the request any more.
    wire.attempt(1).fail(new Error('closed'));
    await pass(clock);
    wire
      .attempt(2)
      .start()
      .handler.onRequestUpgrade({} as never, 200, {}, socket() as never);
    expect(heard.told).toEqual(['start', 'upgrade 200']);
  });

  test('can be turned down by the handler', () => {
    const { wire, heard, dispatch } = setUp();
    heard.onRequestUpgrade = (controller) => controller.abort(new Error('bad upgrade'));
    dispatch({ ...get, upgrade: 'websocket' }, heard);
    const { connection, handler } = wire.attempt(1).start();
    handler.onRequestUpgrade(connection, 101, {}, socket() as never);
    expect(heard.told).toEqual(['start', 'error bad upgrade']);
    expect(connection.aborted).toBe(true);
  });
});
