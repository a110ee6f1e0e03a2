import { createReadStream } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { constant, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { versions } from '../test/clients.ts';
import { failing, hastyUpstream, upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

const soon: PolicyOptions = { backoff: constant(0) };

describe.each(Object.entries(versions))('body factories of %s', (_, { Agent, request, stream }) => {
  test('are called once for each attempt', async () => {
    await using server = await upstream(failing(503, 503));
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor(soon));
    let calls = 0;
    const body = (): Readable => {
      calls += 1;
      return Readable.from([`body ${calls}`]);
    };
    const got = await request(server.url, { method: 'PUT', body, dispatcher });
    expect([got.statusCode, await got.body.text()]).toEqual([200, 'ok']);
    expect(server.seen.map((seen) => String(seen.body))).toEqual(['body 1', 'body 2', 'body 3']);
    await stream(server.url, { method: 'PUT', body, dispatcher }, () => new PassThrough().resume());
    expect(String(server.seen.at(-1)?.body)).toBe('body 4');
    await agent.destroy();
  });

  test('that throw, or return a stream that was read, fail the request', async () => {
    await using server = await upstream(failing(503));
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor(soon));
    const cause = new Error('no file');
    const throwing = (): Readable => {
      throw cause;
    };
    const send = (body: () => Readable | Promise<Readable>) =>
      request(server.url, { method: 'PUT', body, dispatcher });
    await expect(send(throwing)).rejects.toMatchObject({ name: 'HookError', hook: 'body', cause });
    await expect(send(async () => throwing())).rejects.toMatchObject({ hook: 'body', cause });
    expect(server.seen).toHaveLength(0);
    const one = Readable.from(['text']);
    await expect(send(() => one)).rejects.toMatchObject({ hook: 'body' });
    expect(server.seen.map((seen) => String(seen.body))).toEqual(['text']);
    await agent.destroy();
  });

  test('have their streams closed when an attempt is over', async () => {
    await using server = await hastyUpstream((response, incoming, number) => {
      if (number === 0) response.writeHead(503, { connection: 'close' }).end('no');
      else incoming.resume().on('end', () => response.end('ok'));
    });
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor(soon));
    const made: Readable[] = [];
    const body = (): Readable => {
      const source = new Readable({ read: () => undefined });
      source.push('part');
      // The first stream never ends: an early response does not wait for it.
      if (made.push(source) > 1) source.push(null);
      return source;
    };
    const got = await request(server.url, { method: 'PUT', body, dispatcher });
    expect([got.statusCode, await got.body.text()]).toEqual([200, 'ok']);
    expect(made.map((source) => source.destroyed)).toEqual([true, true]);
    await agent.destroy();
  });

  test('have their streams closed if nothing was sent', async () => {
    const gone = await upstream(failing());
    await gone[Symbol.asyncDispose]();
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor({ ...soon, maxRetries: 1 }));
    const made: Readable[] = [];
    const body = (): Readable => {
      const source = new Readable({
        read: () => undefined,
        // Emitted after the last listener of ebb and undici has gone.
        destroy: (_, callback) => callback(new Error('late')),
      });
      made.push(source);
      return source;
    };
    await expect(request(gone.url, { method: 'PUT', body, dispatcher })).rejects.toThrow();
    expect(made.map((source) => source.destroyed)).toEqual([true, true]);
    await agent.destroy();
  });

  test('whose stream fails fail the request with its error', async () => {
    await using server = await upstream(failing());
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor(soon));
    const body = (): Readable => createReadStream('/nowhere/to/be/found');
    const sent = request(server.url, { method: 'PUT', body, dispatcher });
    await expect(sent).rejects.toMatchObject({ code: 'ENOENT' });
    await agent.destroy();
  });

  test('are bounded by attemptTimeoutMs, and a body that they make too late is closed', async () => {
    await using server = await upstream(failing());
    const agent = new Agent();
    const clock = virtualClock({ startMs: 0 });
    const dispatcher = agent.compose(ebbInterceptor({ ...soon, attemptTimeoutMs: 1_000, clock }));
    const gates: ((made: Readable) => void)[] = [];
    const called = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const body = (): Promise<Readable> =>
      new Promise((resolve) => {
        called[gates.push(resolve) - 1]?.resolve();
      });
    const sent = request(server.url, { method: 'PUT', body, dispatcher });
    await called[0]?.promise;
    await clock.advance(1_000);
    await called[1]?.promise;
    const [late, right] = [Readable.from(['late']), Readable.from(['right'])];
    gates[0]?.(late);
    gates[1]?.(right);
    const got = await sent;
    expect([got.statusCode, await got.body.text()]).toEqual([200, 'ok']);
    expect(server.seen.map((seen) => String(seen.body))).toEqual(['right']);
    expect(late.destroyed).toBe(true);
    await agent.destroy();
  });

  type Make = () => { body: unknown; closed: Promise<unknown> };

  /** Each kind of body that a factory may make, with a promise that resolves when it is closed. */
  const kinds: readonly (readonly [string, Make])[] = [
    [
      'Node streams',
      () => {
        const body = new Readable({ read: () => undefined });
        body.push('part');
        return { body, closed: new Promise((resolve) => body.once('close', resolve)) };
      },
    ],
    [
      'web streams',
      () => {
        const { promise: closed, resolve } = Promise.withResolvers<unknown>();
        const start = (controller: ReadableStreamDefaultController): void =>
          controller.enqueue(Buffer.from('part'));
        return { body: new ReadableStream({ start, cancel: resolve }), closed };
      },
    ],
    [
      'iterators',
      () => {
        const { promise: closed, resolve } = Promise.withResolvers<unknown>();
        let parts = 1;
        const body = {
          [Symbol.asyncIterator]: () => body,
          next: async () => {
            await new Promise(setImmediate);
            return { done: false, value: parts-- > 0 ? 'part' : 'more' };
          },
          return: async () => {
            resolve(undefined);
            return { done: true, value: undefined };
          },
        };
        return { body, closed };
      },
    ],
  ];

  /** A factory, and the `closed` of all bodies that it has made. */
  const recording = (make: Make): { body: () => Readable; closed: Promise<unknown>[] } => {
    const closed: Promise<unknown>[] = [];
    const body = (): Readable => {
      const made = make();
      closed.push(made.closed);
      return made.body as Readable;
    };
    return { body, closed };
  };

  test.each(kinds)('that make %s: closed if the connection is refused', async (_name, make) => {
    const gone = await upstream(failing());
    await gone[Symbol.asyncDispose]();
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor({ ...soon, maxRetries: 1 }));
    const { body, closed } = recording(make);
    await expect(request(gone.url, { method: 'PUT', body, dispatcher })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    expect(closed).toHaveLength(2);
    await Promise.all(closed);
    await agent.destroy();
  });

  test.each(kinds)('that make %s: closed if the response comes early', async (_name, make) => {
    await using server = await hastyUpstream((response) => response.writeHead(503).end('no'));
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor({ ...soon, maxRetries: 1 }));
    const { body, closed } = recording(make);
    const got = await request(server.url, { method: 'PUT', body, dispatcher });
    expect([got.statusCode, await got.body.text()]).toEqual([503, 'no']);
    expect(closed).toHaveLength(2);
    await Promise.all(closed);
    await agent.destroy();
  });

  test('can be aborted before they resolve', async () => {
    await using server = await upstream(failing());
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor(soon));
    const abort = new AbortController();
    const source = Readable.from(['text']);
    const gate = Promise.withResolvers<Readable>();
    const called = Promise.withResolvers<void>();
    const body = (): Promise<Readable> => {
      called.resolve();
      return gate.promise;
    };
    const sent = request(server.url, { method: 'PUT', body, dispatcher, signal: abort.signal });
    await called.promise;
    abort.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    const closed = new Promise((resolve) => source.once('close', resolve));
    gate.resolve(source);
    await closed;
    expect(server.connections()).toBe(0);
    await agent.destroy();
  });
});
