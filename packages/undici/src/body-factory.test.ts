import { Readable } from 'node:stream';
import { constant, type PolicyOptions } from '@ebb/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refusingUrl } from '../../../test/refusing.ts';
import { versions } from '../test/clients.ts';
import { kinds, type Open } from '../test/uploads.ts';
import { failing, upstream } from '../test/upstream.ts';
import { type BodyFactory, ebbInterceptor } from './index.ts';

/** A factory, and the `closed` of all bodies that it has made. */
function recording(make: () => Open): { body: () => Readable; closed: Promise<unknown>[] } {
  const closed: Promise<unknown>[] = [];
  const body = (): Readable => {
    const made = make();
    closed.push(made.closed);
    return made.body as Readable;
  };
  return { body, closed };
}

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
    for (const body of [throwing, async () => throwing()])
      await expect(put(server.url, body)).rejects.toMatchObject({ name: 'HookError', hook: 'body', cause });
    expect(server.seen).toHaveLength(0);
    const one = Readable.from(['text']);
    await expect(put(server.url, () => one)).rejects.toMatchObject({ hook: 'body' });
    expect(server.seen.map((seen) => String(seen.body))).toEqual(['text']);
  });

  test.each(kinds)('that make %s: closed if the connection is refused', async (_name, make) => {
    const { body, closed } = recording(make);
    const sent = put(await refusingUrl(), body, { maxRetries: 1 });
    await expect(sent).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(closed).toHaveLength(2);
    await Promise.all(closed);
  });

  test('can be aborted before they resolve', async () => {
    await using server = await upstream(failing());
    const abort = new AbortController();
    const source = Readable.from(['text']);
    const [called, made] = [Promise.withResolvers<void>(), Promise.withResolvers<Readable>()];
    const body = (): Promise<Readable> => {
      called.resolve();
      return made.promise;
    };
    const sent = put(server.url, body, {}, abort.signal);
    await called.promise;
    abort.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    made.resolve(source);
    await expect.poll(() => source.destroyed).toBe(true);
    expect(server.connections()).toBe(0);
  });
});
