import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { constant, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { versions } from '../test/clients.ts';
import { failing, hastyUpstream, upstream } from '../test/upstream.ts';
import { type BodyFactory, ebbInterceptor } from './index.ts';

describe.each(Object.entries(versions))('body factories of %s', (_, { Agent, request }) => {
  const put = (url: string, body: BodyFactory, options: PolicyOptions = {}, signal?: AbortSignal) => {
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const dispatcher = agent.compose(ebbInterceptor({ backoff: constant(0), ...options }));
    return request(url, { method: 'PUT', body, dispatcher, ...(signal && { signal }) });
  };

  test('that throw, or return a stream that was read, fail the request', async () => {
    await using server = await upstream(failing(503));
    const cause = new Error('no file');
    const throwing = (): Readable => {
      throw cause;
    };
    const send = (body: BodyFactory) => put(server.url, body);
    await expect(send(throwing)).rejects.toMatchObject({ name: 'HookError', hook: 'body', cause });
    await expect(send(async () => throwing())).rejects.toMatchObject({ hook: 'body', cause });
    expect(server.seen).toHaveLength(0);
    const one = Readable.from(['text']);
    await expect(send(() => one)).rejects.toMatchObject({ hook: 'body' });
    expect(server.seen.map((seen) => String(seen.body))).toEqual(['text']);
  });

  test('whose stream fails fail the request with its error', async () => {
    await using server = await upstream(failing());
    const sent = put(server.url, () => createReadStream('/nowhere/to/be/found'));
    await expect(sent).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('are bounded by attemptTimeoutMs, and a body that they make too late is closed', async () => {
    await using server = await upstream(failing());
    const clock = virtualClock({ startMs: 0 });
    const gates: ((made: Readable) => void)[] = [];
    const called = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const body = (): Promise<Readable> =>
      new Promise((resolve) => {
        called[gates.push(resolve) - 1]?.resolve();
      });
    const sent = put(server.url, body, { attemptTimeoutMs: 1_000, clock });
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
  });

  type Make = () => { body: unknown; closed: Promise<unknown> };

  /** Each kind of body that a factory may make, with a promise that resolves when it is closed. */
  const kinds: readonly (readonly [string, Make])[] = [
    [
      'Node streams',
      () => {
        const body = new Readable({
          read: () => undefined,
          // Emitted after the last listener of ebb and undici has gone.
          destroy: (_, callback) => callback(new Error('late')),
        });
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
    const { body, closed } = recording(make);
    await expect(put(gone.url, body, { maxRetries: 1 })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(closed).toHaveLength(2);
    await Promise.all(closed);
  });

  test.each(kinds)('that make %s: closed if the response comes early', async (_name, make) => {
    await using server = await hastyUpstream((response) => response.writeHead(503).end('no'));
    const { body, closed } = recording(make);
    const got = await put(server.url, body, { maxRetries: 1 });
    expect([got.statusCode, await got.body.text()]).toEqual([503, 'no']);
    expect(closed).toHaveLength(2);
    await Promise.all(closed);
  });

  test('can be aborted before they resolve', async () => {
    await using server = await upstream(failing());
    const abort = new AbortController();
    const source = Readable.from(['text']);
    const gate = Promise.withResolvers<Readable>();
    const called = Promise.withResolvers<void>();
    const body = (): Promise<Readable> => {
      called.resolve();
      return gate.promise;
    };
    const sent = put(server.url, body, {}, abort.signal);
    await called.promise;
    abort.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    const closed = new Promise((resolve) => source.once('close', resolve));
    gate.resolve(source);
    await closed;
    expect(server.connections()).toBe(0);
  });
});
