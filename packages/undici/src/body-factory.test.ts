import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { constant, type PolicyOptions } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { bucketThat } from '../test/bucket.ts';
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

  test('that throw, or give what was read before, fail the request', async () => {
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
      // The first never ends: what was answered early is not waited for.
      if (made.push(source) > 1) source.push(null);
      return source;
    };
    const got = await request(server.url, { method: 'PUT', body, dispatcher });
    expect([got.statusCode, await got.body.text()]).toEqual([200, 'ok']);
    expect(made.map((source) => source.destroyed)).toEqual([true, true]);
    await agent.destroy();
  });

  test('have their streams closed when nothing of them was sent', async () => {
    const gone = await upstream(failing());
    await gone[Symbol.asyncDispose]();
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor({ ...soon, maxRetries: 1 }));
    const made: Readable[] = [];
    const body = (): Readable => {
      const source = new Readable({
        read: () => undefined,
        // Nobody is left to hear of it.
        destroy: (_, callback) => callback(new Error('late')),
      });
      made.push(source);
      return source;
    };
    await expect(request(gone.url, { method: 'PUT', body, dispatcher })).rejects.toThrow();
    expect(made.map((source) => source.destroyed)).toEqual([true, true]);
    await agent.destroy();
  });

  test('whose stream fails, fail with its error', async () => {
    await using server = await upstream(failing());
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor(soon));
    const body = (): Readable => createReadStream('/nowhere/to/be/found');
    const sent = request(server.url, { method: 'PUT', body, dispatcher });
    await expect(sent).rejects.toMatchObject({ code: 'ENOENT' });
    await agent.destroy();
  });

  test('are not waited for after an abort', async () => {
    await using server = await upstream(failing());
    const agent = new Agent();
    // A bucket that makes it wait gives the handler its controller before the factory is called.
    const bucket = bucketThat({ tryAcquire: () => false });
    const dispatcher = agent.compose(ebbInterceptor({ ...soon, bucket }));
    const abort = new AbortController();
    const source = Readable.from(['text']);
    let give: (source: Readable) => void = () => undefined;
    const body = (): Promise<Readable> => {
      setImmediate(() => abort.abort(new Error('enough')));
      return new Promise((resolve) => {
        give = resolve;
      });
    };
    const sent = request(server.url, { method: 'PUT', body, dispatcher, signal: abort.signal });
    await expect(sent).rejects.toThrow('enough');
    give(source);
    await once(source, 'close');
    expect(server.connections()).toBe(0);
    await agent.destroy();
  });
});
