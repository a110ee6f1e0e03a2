import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { attemptsOf, concurrencyLimit, constant, type PolicyOptions, tokenBucket } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { bucketThat, tokensFor } from '../test/bucket.ts';
import { clients, versions } from '../test/clients.ts';
import { get, reset, setUp, time } from '../test/relay.ts';
import { rawUpstream, upstream } from '../test/upstream.ts';
import { acting, type Dispatched, HandlerSpy } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';

const CLOSED = /^UND_ERR_(CLOSED|DESTROYED)$/;
const enough = new Error('enough');

async function turns(count = 8): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

/** Dispatches a request for which there is one token. */
function begin(options: PolicyOptions = {}, request: object = {}, spy: HandlerSpy = new HandlerSpy()) {
  const setting = setUp({ backoff: constant(0), bucket: tokensFor(1), ...options });
  setting.dispatch({ ...get, ...request }, spy);
  return { ...setting, spy };
}

const TOO_LONG = expect.stringMatching(/^error .* discarded for a retry/);

describe('a retry that is not sent: the result is the previous response', () => {
  test('with its raw headers and history, and its slot is free', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock: time });
    const { wire, spy, events } = begin({ concurrency });
    const raw = [Buffer.from('raw')];
    wire.attempt(1).connection.rawHeaders = raw;
    wire.attempt(1).start().head(503, { 'x-a': 'b' }).data('one ').data('two');
    expect(spy.calls).toEqual(['start']);
    wire.attempt(1).end({ sum: '1' });
    await turns();
    expect(spy.calls).toEqual(['start', 'head 503', 'data one ', 'data two', 'end {"sum":"1"}']);
    expect(spy.controller?.rawHeaders).toBe(raw);
    expect(wire.attempts).toHaveLength(1);
    expect(attemptsOf(spy.context)).toMatchObject([{ status: 503, reason: 'limited' }]);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'limited' });
    expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
  });

  test.each<[string, (first: Dispatched, spy: HandlerSpy) => unknown, readonly unknown[]]>([
    [
      'at once, also to a handler that has paused',
      (first, spy) => {
        first.start();
        spy.controller?.pause();
        first.head(503).data('one').data('two').end();
      },
      ['start', 'head 503', 'data one', 'data two', 'end {}'],
    ],
    [
      'as far as its body came, and the error that broke it',
      (first) => first.start().head(503).data('some').fail(new Error('broke')),
      ['start', 'head 503', 'data some', 'error broke'],
    ],
    [
      'or an error for too large a Content-Length',
      (first) => first.start().head(503, { 'content-length': '262145' }),
      ['start', 'head 503', TOO_LONG],
    ],
    [
      'or an error for a body that is too long',
      (first) => first.start().head(503).data('x'.repeat(262_145)),
      ['start', 'head 503', TOO_LONG],
    ],
    ['or an upgrade that was refused', (first) => first.start().upgrade(429), ['start', 'upgrade 429']],
  ])('%s', async (_, respond, calls) => {
    const { wire, spy } = begin();
    respond(wire.attempt(1), spy);
    await turns();
    expect(spy.calls).toEqual(calls);
    expect(wire.attempt(1).connection.aborted).toBe(calls.at(-1) === TOO_LONG);
  });

  test('without what a dispatcher brings that ignores the abort of a long body', async () => {
    const late = acting('onResponseStart', () => {
      setImmediate(() => wire.attempt(1).data('late').end());
      queueMicrotask(() => wire.attempt(1).data('late').end());
    });
    const { wire, spy } = begin({}, {}, late);
    const attempt = wire.attempt(1).start();
    attempt.connection.abort = () => undefined;
    attempt.head(503).data('x'.repeat(65_537));
    await turns(12);
    expect(spy.calls).toEqual(['start', 'head 503', TOO_LONG]);
  });

  test.each([
    acting('onResponseStart', (controller) => controller.abort(enough)),
    acting('onResponseData', () => {
      throw enough;
    }),
  ])('until the handler aborts or throws', async (handler) => {
    const { wire, spy } = begin({}, {}, handler);
    wire.attempt(1).start().head(503).data('no').end();
    await turns();
    expect(spy.error).toBe(enough);
    expect(spy.calls.at(-1)).toBe('error enough');
  });

  test('or the previous error, unchanged', async () => {
    const { wire, spy } = begin();
    const error = reset();
    wire.attempt(1).start().fail(error);
    await turns();
    expect(spy.error).toBe(error);
    expect(attemptsOf(error)).toMatchObject([{ failure: 'network', reason: 'limited' }]);
  });
});

describe.each(Object.entries(versions))('a dispatcher of %s that is closed before the retry', (_, undici) => {
  const { Agent, Client, Pool, request } = undici;
  const makers: readonly (readonly [string, (origin: string) => Dispatcher])[] = [
    ['Agent', () => new Agent()],
    ['Pool', (origin) => new Pool(origin)],
    ['Client', (origin) => new Client(origin)],
  ];

  test.each(
    makers.flatMap(([name, make]) =>
      (['close', 'destroy'] as const).map((end) => [name, end, make] as const),
    ),
  )('%s, %s: the result is the previous response', async (_name, end, make) => {
    await using server = await upstream((response) => response.writeHead(503).end('come back'));
    const clock = virtualClock({ startMs: 0 });
    const base = make(new URL(server.url).origin);
    const events: string[] = [];
    const waits = Promise.withResolvers<void>();
    const dispatcher = base.compose(
      ebbInterceptor({
        backoff: constant(60_000),
        clock,
        onEvent: ({ type }) => {
          events.push(type);
          if (type === 'retry') waits.resolve();
        },
      }),
    );
    const sent = request(server.url, { dispatcher });
    await waits.promise;
    await turns();
    // It does not wait for the retry.
    await dispatcher[end]();
    expect(clock.pending).toBe(1);
    await clock.advance(60_000);
    const { statusCode, body, context } = await sent;
    expect([statusCode, await body.text()]).toEqual([503, 'come back']);
    expect(attemptsOf(context)).toMatchObject([
      { status: 503 },
      { failure: 'unknown', code: expect.stringMatching(CLOSED), reason: 'final' },
    ]);
    expect(server.seen).toHaveLength(1);
  });

  test.each(makers)('%s: destroyed during the retry, which fails with its error', async (_name, make) => {
    const isAsked = Promise.withResolvers<void>();
    await using server = await upstream((response, _seen, number) => {
      if (number === 0) response.writeHead(503).end('come back');
      else isAsked.resolve();
    });
    const base = make(new URL(server.url).origin);
    const dispatcher = base.compose(ebbInterceptor({ backoff: constant(0) }));
    const sent = request(server.url, { dispatcher }).catch((error: unknown) => error);
    await isAsked.promise;
    await dispatcher.destroy();
    // The server may have carried it out: the 503 before it is not its result.
    const error = await sent;
    expect(error).toMatchObject({ code: 'UND_ERR_DESTROYED' });
    expect(attemptsOf(error)).toMatchObject([
      { status: 503, reason: 'transient' },
      { failure: 'unknown', code: 'UND_ERR_DESTROYED', reason: 'final' },
    ]);
    expect(server.seen).toHaveLength(2);
  });

  test('a request that it did not take fails with its error', async () => {
    const agent = new Agent();
    await agent.close();
    const sent = request('http://127.0.0.1:9/', { dispatcher: agent.compose(ebbInterceptor()) });
    await expect(sent).rejects.toMatchObject({ code: expect.stringMatching(CLOSED) });
  });
});

test('a policy that stops in the middle of a response: the result has all of it', async () => {
  const stop = new AbortController();
  const { wire, spy } = begin({ stopSignal: stop.signal });
  wire.attempt(1).start().head(503).data('come ');
  stop.abort();
  await turns();
  expect(spy.calls).toEqual(['start']);
  wire.attempt(1).data('back').end();
  await turns();
  expect(spy.calls).toEqual(['start', 'head 503', 'data come ', 'data back', 'end {}']);
});

describe('an upload that is not sent', () => {
  const noToken = {
    bucket: bucketThat({ tryAcquire: () => false, acquire: () => new Promise(() => undefined) }),
  };

  test.each<[string, () => { body: unknown; isGone: () => boolean }]>([
    [
      'a Node stream',
      () => {
        const body = Readable.from(['text']);
        return { body, isGone: () => body.destroyed };
      },
    ],
    [
      'a web stream',
      () => {
        let cancelled: unknown;
        const body = new ReadableStream({
          cancel(why) {
            cancelled = why;
          },
        });
        return { body, isGone: () => cancelled === enough };
      },
    ],
    [
      'an iterator',
      () => {
        let isGone = false;
        const body = {
          [Symbol.asyncIterator]: () => body,
          next: async () => ({ done: false, value: 'text' }),
          return: async () => {
            isGone = true;
            return { done: true, value: undefined };
          },
        };
        return { body, isGone: () => isGone };
      },
    ],
  ])('because the handler aborts in the wait: %s is closed', async (_, make) => {
    const { body, isGone } = make();
    const { spy } = begin(noToken, { method: 'PUT', body });
    spy.controller?.abort(enough);
    // At once, as in undici.
    expect(spy.error).toBe(enough);
    await turns();
    expect(isGone()).toBe(true);
  });

  const refused = (): Error => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

  test('because there is no token', async () => {
    const body = Readable.from(['text']);
    const { spy } = begin({ bucket: tokensFor(0) }, { method: 'PUT', body });
    await turns();
    expect(spy.calls).toEqual(['start', 'error no token']);
    expect(body.destroyed).toBe(true);
  });

  test('because the handler aborts between two attempts', async () => {
    const body = Readable.from(['text']);
    const { wire, spy } = begin({ backoff: constant(1_000) }, { method: 'PUT', body });
    wire.attempt(1).fail(refused());
    spy.controller?.abort(enough);
    await turns();
    expect(body.destroyed).toBe(true);
  });

  test('because its retry ran into its timeout', async () => {
    const options: PolicyOptions = {
      bucket: tokensFor(5),
      attemptTimeoutMs: 50,
      maxRetries: 1,
      beforeAttempt: ({ attempt }) => (attempt === 1 ? undefined : new Promise(() => undefined)),
    };
    const body = Readable.from(['text']);
    const { wire, spy, clock } = begin(options, { method: 'PUT', body });
    wire.attempt(1).fail(refused());
    await turns();
    await clock.advance(50);
    await turns();
    expect(spy.calls).toEqual(['start', expect.stringMatching(/^error /)]);
    expect([wire.attempts.length, body.destroyed]).toEqual([1, true]);
  });

  test.each(Object.entries(versions))(
    '%s: by request, whose stream gets the reason',
    async (_name, undici) => {
      const agent = new undici.Agent();
      const dispatcher = agent.compose(ebbInterceptor(noToken));
      const abort = new AbortController();
      const body = new PassThrough();
      const broke = once(body, 'error');
      const sent = undici.request('http://127.0.0.1:9/', {
        method: 'PUT',
        body,
        signal: abort.signal,
        dispatcher,
      });
      abort.abort(enough);
      await expect(sent).rejects.toBe(enough);
      expect(await broke).toEqual([enough]);
      await agent.destroy();
    },
  );
});

describe.each(Object.entries(versions))('a body that %s has queued', (_, { Client, request }) => {
  test('is not sent by another attempt: undici would destroy it with the first', async () => {
    await using server = await rawUpstream(() => undefined);
    const clock = virtualClock({ startMs: 0 });
    const client = new Client(new URL(server.url).origin);
    const dispatcher = client.compose(
      ebbInterceptor({ backoff: constant(0), attemptTimeoutMs: 1_000, clock }),
    );
    const first = request(server.url, { dispatcher: client }).catch(() => undefined);
    const body = new PassThrough();
    const sent = request(server.url, { method: 'PUT', body, dispatcher }).catch((error: unknown) => error);
    await turns();
    await clock.advance(1_000);
    const error = await sent;
    expect(error).toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
    expect(attemptsOf(error)).toMatchObject([{ failure: 'timeout', reason: 'not-replayable' }]);
    await client.destroy();
    await first;
  });
});

describe.each(clients.filter(({ isFetch }) => isFetch))(
  '$name: a stream that waits for a token',
  (client) => {
    test.each([[['one', 'two']], [[]]])('is sent whole: %j', async (parts) => {
      await using server = await upstream((response) => response.end());
      const clock = virtualClock({ startMs: 0 });
      const bucket = tokenBucket({ refillPerSecond: 1, capacity: 1, initialTokens: 0, clock });
      const agent = new client.undici.Agent();
      const dispatcher = agent.compose(ebbInterceptor({ clock, bucket }));
      const body = Readable.toWeb(Readable.from(parts.map((part) => Buffer.from(part))));
      const sent = client.send(server.url, dispatcher, { method: 'PUT', body });
      while (bucket.stats().waiting === 0) await nextTurn();
      await turns();
      await clock.advance(1_000);
      expect((await sent).status).toBe(200);
      expect(String(server.seen[0]?.body)).toBe(parts.join(''));
      await agent.destroy();
    });
  },
);
