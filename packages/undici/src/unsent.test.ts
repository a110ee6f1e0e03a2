import { PassThrough, Readable } from 'node:stream';
import { attemptsOf, constant, type PolicyOptions, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { until } from '../../../test/until.ts';
import { bucketThat, tokensFor } from '../test/bucket.ts';
import { clients, versions } from '../test/clients.ts';
import { begin as beginWith, reset, type Setting, settle } from '../test/relay.ts';
import { kinds } from '../test/uploads.ts';
import { rawUpstream, upstream } from '../test/upstream.ts';
import { acting, type Dispatched, type HandlerSpy } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';

const CLOSED = /^UND_ERR_(CLOSED|DESTROYED)$/;
const TOO_LONG = expect.stringMatching(/^error .* discarded for a retry/);
const enough = new Error('enough');

/** Dispatches a request for which there is one token. */
const begin = (options: PolicyOptions = {}, request: object = {}, spy?: HandlerSpy): Setting =>
  beginWith({ backoff: constant(0), bucket: tokensFor(1), ...options }, request, spy);

describe('a retry that is not sent: the result is the previous response', () => {
  const paused = (first: Dispatched, spy: HandlerSpy): void => {
    first.start();
    spy.controller?.pause();
    first.head(503).data('one').data('two').end();
  };

  test.each<[string, (first: Dispatched, spy: HandlerSpy) => unknown, ...calls: unknown[]]>([
    ['at once, also to a handler that has paused', paused, 'head 503', 'data one', 'data two', 'end {}'],
    [
      'as far as its body came, and the error that broke it',
      (first) => first.start().head(503).data('some').fail(new Error('broke')),
      ...['head 503', 'data some', 'error broke'],
    ],
    [
      'or an error for too large a Content-Length',
      (first) => first.start().head(503, { 'content-length': '262145' }),
      ...['head 503', TOO_LONG],
    ],
    ['or the previous error', (first) => first.start().fail(reset()), 'error reset'],
  ])('%s', async (_, respond, ...calls) => {
    const { wire, spy } = begin();
    respond(wire.attempt(1), spy);
    await settle();
    expect(spy.calls).toEqual(['start', ...calls]);
    expect(wire.attempt(1).connection.aborted).toBe(calls.at(-1) === TOO_LONG);
  });

  const fail = (): never => {
    throw enough;
  };

  test.each([
    acting('onResponseStart', (controller) => controller.abort(enough)),
    acting('onResponseData', fail),
  ])('until the handler aborts or throws', async (handler) => {
    const { wire, spy } = begin({}, {}, handler);
    wire.attempt(1).start().head(503).data('no').end();
    await settle();
    expect([spy.error, spy.calls.at(-1)]).toEqual([enough, 'error enough']);
  });

  test('with all of it, if the policy stops in the middle', async () => {
    const stop = new AbortController();
    const { wire, spy } = begin({ stopSignal: stop.signal });
    wire.attempt(1).start().head(503).data('come ');
    stop.abort();
    await settle();
    expect(spy.calls).toEqual(['start']);
    wire.attempt(1).data('back').end();
    await settle();
    expect(spy.calls).toEqual(['start', 'head 503', 'data come ', 'data back', 'end {}']);
  });
});

describe.each(Object.entries(versions))('an agent of %s that is closed', (_, { Agent, request }) => {
  test.each(['close', 'destroy'] as const)(
    '%s, before the retry: the result is the previous response',
    async (end) => {
      await using server = await upstream((response) => response.writeHead(503).end('come back'));
      const clock = virtualClock({ startMs: 0 });
      const dispatcher = new Agent().compose(ebbInterceptor({ backoff: constant(60_000), clock }));
      const sent = request(server.url, { dispatcher });
      await until(() => clock.pending === 1);
      await settle();
      // It does not wait for the retry.
      await dispatcher[end]();
      expect(clock.pending).toBe(1);
      await clock.advance(60_000);
      const { statusCode, body, context } = await sent;
      expect([statusCode, await body.text()]).toEqual([503, 'come back']);
      const last = { failure: 'unknown', code: expect.stringMatching(CLOSED), reason: 'final' };
      expect(attemptsOf(context)).toMatchObject([{ status: 503 }, last]);
      expect(server.seen).toHaveLength(1);
    },
  );

  test('destroyed during the retry: it fails with its error', async () => {
    await using server = await upstream((response, _seen, number) => {
      if (number === 0) response.writeHead(503).end('come back');
    });
    const dispatcher = new Agent().compose(ebbInterceptor({ backoff: constant(0) }));
    const sent = request(server.url, { dispatcher }).catch((error: unknown) => error);
    await until(() => server.seen.length === 2);
    await dispatcher.destroy();
    // The server may have carried it out: the 503 before it is not its result.
    const error = await sent;
    const failure = { code: 'UND_ERR_DESTROYED' };
    expect(error).toMatchObject(failure);
    expect(attemptsOf(error)).toMatchObject([{ status: 503 }, { ...failure, reason: 'final' }]);
  });
});

describe('an upload that is not sent', () => {
  const acquire = () => new Promise<never>(() => undefined);
  const noToken = { bucket: bucketThat({ tryAcquire: () => false, acquire }) };

  test.each(kinds)('because the handler aborts in the wait: %s are closed', async (kind, make) => {
    const { body, closed } = make();
    const { spy } = begin(noToken, { method: 'PUT', body });
    spy.controller?.abort(enough);
    // At once, as in undici.
    expect(spy.error).toBe(enough);
    const why = await closed;
    if (kind === 'web streams') expect(why).toBe(enough);
  });
});

test.each(Object.entries(versions))(
  'a body that %s has queued is not sent by another attempt: undici would destroy it with the first',
  async (_, { Client, request }) => {
    await using server = await rawUpstream(() => undefined);
    const clock = virtualClock({ startMs: 0 });
    const client = new Client(new URL(server.url).origin);
    const ebb = ebbInterceptor({ backoff: constant(0), attemptTimeoutMs: 1_000, clock });
    const first = request(server.url, { dispatcher: client }).catch(() => undefined);
    const put = { method: 'PUT', body: new PassThrough(), dispatcher: client.compose(ebb) } as const;
    const sent = request(server.url, put).catch((error: unknown) => error);
    await settle();
    await clock.advance(1_000);
    expect(attemptsOf(await sent)).toMatchObject([{ failure: 'timeout', reason: 'not-replayable' }]);
    await client.destroy();
    await first;
  },
);

const streams = [['one', 'two'], []];
const waits = clients
  .filter(({ isFetch }) => isFetch)
  .flatMap((client) => streams.map((parts) => [client.name, parts, client] as const));

test.each(waits)('%s: a stream that waits for a token is sent whole: %j', async (_, parts, client) => {
  await using server = await upstream((response) => response.end());
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ refillPerSecond: 1, capacity: 1, initialTokens: 0, clock });
  const agent = new client.undici.Agent();
  const dispatcher = agent.compose(ebbInterceptor({ clock, bucket }));
  const body = Readable.toWeb(Readable.from(parts.map((part) => Buffer.from(part))));
  const sent = client.send(server.url, dispatcher, { method: 'PUT', body });
  await until(() => bucket.stats().waiting > 0);
  await settle();
  await clock.advance(1_000);
  expect((await sent).status).toBe(200);
  expect(String(server.seen[0]?.body)).toBe(parts.join(''));
  await agent.destroy();
});
