import { attemptsOf, constant, type EbbEvent, type PolicyOptions, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import nodeFetch3 from 'node-fetch';
// @ts-expect-error it comes without types
import nodeFetch2 from 'node-fetch2';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import type { Step } from '../../../../test/server.ts';
import { turns } from '../../../../test/until.ts';
import { createFetch } from '../index.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

/** A bucket with one token: no retry is sent. */
const options = (): PolicyOptions => ({
  backoff: constant(0),
  bucket: tokenBucket({ capacity: 1, refillPerSecond: 1e-9, nonConforming: 'reject' }),
});
const long = (bytes: number): Step => ({ status: 503, body: 'x'.repeat(bytes) });
const DOWN: Step = { status: 503, body: 'down', headers: { 'x-of': 'the server' } };

describe('a retry that is not sent ends with the previous response', () => {
  test.each([0, 65_536])('with its whole body of %i bytes', async (bytes) => {
    const server = await serve(long(bytes), { status: 200 });
    const response = await createFetch(options())(server.url);
    expect([server.seen.length, response.status, response.bodyUsed]).toEqual([1, 503, false]);
    expect(attemptsOf(response).map(({ reason }) => reason)).toEqual(['limited']);
    expect(await response.text()).toBe('x'.repeat(bytes));
  });

  test('which has the status, the headers and the URL that the base fetch returned', async () => {
    const given: Response[] = [];
    const server = await serve(DOWN);
    const base: typeof fetch = async (...args) => {
      const response = await fetch(...args);
      given.push(response);
      return response;
    };
    const kept = await createFetch(options(), base)(server.url);
    const shown = ({ status, statusText, headers, url, redirected, type }: Response) => [
      [status, statusText, url, redirected, type],
      [...headers],
    ];
    expect(shown(kept)).toEqual(shown(given[0] as Response));
  });

  test('of a mock that can be made only once, whose body is then used', async () => {
    const mock = { status: 503, body: new Response('down').body, constructor: undefined };
    expect(await createFetch(options(), async () => mock as never)('https://mock.invalid/')).toBe(mock);
  });

  test.each<[string, (response: Response) => unknown]>([
    ['text()', (response) => response.text()],
    ['json()', (response) => response.json()],
    ['a reader', (response) => response.body?.getReader().read()],
    ['a clone', (response) => response.clone().text()],
    ['new Response(body)', (response) => new Response(response.body).text()],
  ])('but one that is too long to keep says so to who reads it: %s', async (_, read) => {
    const server = await serve(long(65_537), { status: 200 });
    const response = await createFetch(options())(server.url);
    expect(response).toBeInstanceOf(Response);
    expect(response.status).toBe(503);
    await expect(read(response)).rejects.toThrow('longer than 64 KiB, or did not end in time');
  });

  test.skipIf(isWeb).each<[string, typeof fetch]>([
    ['node-fetch 3', nodeFetch3 as never],
    ['node-fetch 2', nodeFetch2 as never],
  ])('of %s', async (_, base) => {
    const server = await serve(DOWN, long(400_000));
    const kept = await createFetch(options(), base)(server.url);
    expect(await kept.text()).toBe('down');
    const gone = await createFetch(options(), base)(server.url);
    expect(gone.status).toBe(503);
    await expect(gone.text()).rejects.toThrow('The body of this response was discarded for a retry');
  });
});

describe('a stop right after the retry was planned', () => {
  /** A client that stops then, and a response whose body ends when a test says so. */
  function stopping() {
    const clock = virtualClock();
    const stop = new AbortController();
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const writer = body.writable.getWriter();
    const onEvent = ({ type }: EbbEvent): void => void (type === 'retry' && stop.abort());
    const base = async (): Promise<Response> => new Response(body.readable, { status: 503 });
    const fetch = createFetch({ clock, stopSignal: stop.signal, onEvent, totalTimeoutMs: 60_000 }, base);
    return { clock, writer, fetch };
  }

  test('waits for the body of the response that it ends with', async () => {
    const { writer, fetch } = stopping();
    const response = fetch('https://a.test/');
    await writer.write(new TextEncoder().encode('do'));
    await turns(3);
    void writer.write(new TextEncoder().encode('wn'));
    void writer.close();
    expect([(await response).status, await (await response).text()]).toEqual([503, 'down']);
  });

  test('an abort meanwhile is an abort', async () => {
    const { clock, fetch } = stopping();
    const abort = new AbortController();
    const response = fetch('https://a.test/', { signal: abort.signal });
    await turns(3);
    abort.abort(new Error('enough'));
    await expect(response).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
  });
});
