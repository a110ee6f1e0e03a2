import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { constant, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refusingUrl } from '../../../test/refusing.ts';
import { versions } from '../test/clients.ts';
import { kinds, nodeStream, type Open } from '../test/uploads.ts';
import { failing, hastyUpstream, upstream } from '../test/upstream.ts';
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

const all = [
  ...kinds,
  ['Node streams that fail as they are closed', () => nodeStream(new Error('late'))],
] as const;

/** A factory whose bodies a test makes. */
function byHand() {
  const made: PromiseWithResolvers<Readable>[] = [];
  const body = (): Promise<Readable> => {
    const next = Promise.withResolvers<Readable>();
    made.push(next);
    return next.promise;
  };
  const called = (times: number) => expect.poll(() => made.length).toBe(times);
  return { made, body, called };
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

  test('whose stream fails fail the request with its error', async () => {
    await using server = await upstream(failing());
    const sent = put(server.url, () => createReadStream('/nowhere/to/be/found'));
    await expect(sent).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('are bounded by attemptTimeoutMs, and a body that they make too late is closed', async () => {
    await using server = await upstream(failing());
    const clock = virtualClock({ startMs: 0 });
    const { made, body, called } = byHand();
    const sent = put(server.url, body, { attemptTimeoutMs: 1_000, clock });
    await called(1);
    await clock.advance(1_000);
    await called(2);
    const [late, right] = [Readable.from(['late']), Readable.from(['right'])];
    made[0]?.resolve(late);
    made[1]?.resolve(right);
    const got = await sent;
    expect([got.statusCode, await got.body.text()]).toEqual([200, 'ok']);
    expect(server.seen.map((seen) => String(seen.body))).toEqual(['right']);
    expect(late.destroyed).toBe(true);
  });

  test.each(all)('that make %s: closed if the connection is refused', async (_name, make) => {
    const { body, closed } = recording(make);
    const sent = put(await refusingUrl(), body, { maxRetries: 1 });
    await expect(sent).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(closed).toHaveLength(2);
    await Promise.all(closed);
  });

  test.each(all)('that make %s: closed if the response comes early', async (_name, make) => {
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
    const { made, body, called } = byHand();
    const sent = put(server.url, body, {}, abort.signal);
    await called(1);
    abort.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    made[0]?.resolve(source);
    await expect.poll(() => source.destroyed).toBe(true);
    expect(server.connections()).toBe(0);
  });
});
