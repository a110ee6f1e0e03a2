import { describe, expect, test } from 'vitest';
import { versions } from '../test/clients.ts';
import { begin, get, passBackoff, reset, setUp } from '../test/relay.ts';
import { rawUpstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

describe('the handler', () => {
  test('gets the informational responses of all attempts', async () => {
    const { wire, spy, clock } = begin();
    wire.attempt(1).start().head(102).head(103).head(503).end();
    await passBackoff(clock);
    wire.attempt(2).start().head(102).head(200).end();
    expect(spy.calls).toEqual(['start', 'head 102', 'head 103', 'head 102', 'head 200', 'end {}']);
  });

  test('gets the raw headers and trailers of the forwarded response', async () => {
    const { wire, spy, clock } = begin();
    const [first, second] = [[Buffer.from('first')], [Buffer.from('second')]];
    wire.attempt(1).connection.rawHeaders = first;
    wire.attempt(1).start().head(503).end();
    expect(spy.controller?.rawHeaders).toBe(null);
    await passBackoff(clock);
    wire.attempt(2).connection.rawHeaders = second;
    wire.attempt(2).start().head(200);
    expect(spy.controller?.rawHeaders).toBe(second);
    wire.attempt(2).connection.rawTrailers = first;
    wire.attempt(2).end();
    expect(spy.controller?.rawTrailers).toBe(first);
  });

  test('has one context, which every attempt adds to', async () => {
    const { wire, spy, clock } = begin();
    wire.attempt(1).start({ a: 1, b: 1 }).head(503).end();
    expect(spy.context).toEqual({ a: 1, b: 1 });
    await passBackoff(clock);
    wire.attempt(2).start({ b: 2 }).head(200).end();
    expect(spy.context).toEqual({ a: 1, b: 2 });
  });

  test('gets each start of the first attempt, as without ebb', () => {
    const { wire, spy } = begin();
    wire.attempt(1).start().start().head(200).end();
    expect(spy.calls).toEqual(['start', 'start', 'head 200', 'end {}']);
    expect(spy.controllers.size).toBe(1);
  });

  test('gets what each attempt uploads', async () => {
    const { wire, spy, clock, dispatch } = setUp();
    const sent: string[] = [];
    const watching = Object.assign(spy, {
      onBodySent: (chunk: Buffer) => void sent.push(String(chunk)),
      onRequestSent: () => void sent.push('sent'),
    });
    dispatch({ ...get, method: 'PUT', body: 'abc' }, watching);
    wire.attempt(1).handler.onBodySent(Buffer.from('ab'));
    wire.attempt(1).start().fail(reset());
    await passBackoff(clock);
    wire.attempt(2).handler.onBodySent(Buffer.from('abc'));
    wire.attempt(2).handler.onRequestSent();
    expect(sent).toEqual(['ab', 'abc', 'sent']);
  });
});

describe('backpressure', () => {
  test('pause and resume reach the connection of the forwarded response', async () => {
    const { wire, spy, clock } = begin();
    wire.attempt(1).start().head(503).end();
    await passBackoff(clock);
    wire.attempt(2).start().head(200);
    spy.controller?.pause();
    expect(spy.controller?.paused).toBe(true);
    spy.controller?.resume();
    expect(spy.controller?.paused).toBe(false);
    expect(wire.attempts.map(({ connection }) => connection.calls)).toEqual([[], ['pause', 'resume']]);
  });
});

describe('a handler without some of the methods', () => {
  test('gets the others', () => {
    const { wire, spy, dispatch } = setUp();
    dispatch(
      get,
      Object.assign(spy, { onResponseStart: undefined, onResponseData: undefined, onResponseEnd: undefined }),
    );
    wire.attempt(1).start().head(200).data('a').end();
    expect(spy.calls).toEqual(['start']);
  });

  test.each(Object.entries(versions))('of %s cannot be upgraded', async (_, { Agent }) => {
    const [isClosed, error] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
    await using server = await rawUpstream((socket) => {
      socket.on('close', () => isClosed.resolve());
      socket.write('HTTP/1.1 101 Switching\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n');
    });
    const agent = new Agent();
    const handler = {
      onRequestStart: () => undefined,
      onResponseError: (_: unknown, thrown: unknown) => error.resolve(thrown),
    };
    const { origin } = new URL(server.url);
    agent.compose(ebbInterceptor()).dispatch({ ...get, origin, upgrade: 'echo' }, handler);
    expect(await error.promise).toEqual(new TypeError('the handler has no onRequestUpgrade'));
    await isClosed.promise;
    await agent.destroy();
  });
});
