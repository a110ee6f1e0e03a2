import { getEventListeners } from 'node:events';
import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { attemptsOf, type PolicyOptions, type TokenBucket, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import type { AxiosAdapter } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import type { Step } from '../../../../test/server.ts';
import { atOnce, clientOf, errorOf } from '../../test/client.ts';
import { afterTest } from '../../test/servers.ts';

/** Grants one attempt, and refuses every other. */
const oneToken = (): TokenBucket =>
  tokenBucket({ capacity: 1, refillPerSecond: 0.001, nonConforming: 'reject' });

describe.each(['http', 'fetch'])('a retry that the bucket refuses, over the %s adapter', (adapter) => {
  test.each([0, 4, 64 * 1024])('returns the previous response with its %i bytes', async (bytes) => {
    const server = await serve({ status: 503, body: 'x'.repeat(bytes) });
    const client = clientOf({ adapter, responseType: 'stream' }, { ...atOnce, bucket: oneToken() });
    const error = await errorOf(client.get(server.url));
    expect(server.seen).toHaveLength(1);
    expect(attemptsOf(error)).toMatchObject([{ status: 503, reason: 'limited' }]);
    expect(error.response?.status).toBe(503);
    expect((await text(error.response?.data as Readable)).length).toBe(bytes);
  });
});

test('the stream of a custom adapter is restored as a stream of the same kind', async () => {
  const parts = [{ a: 1 }, { a: 2 }] as unknown as string[];
  for (const make of [() => Readable.from(parts), () => new Blob(['text']).stream()]) {
    const data = make();
    const adapter: AxiosAdapter = async (config) => {
      return { status: 503, statusText: '', data, headers: {}, config };
    };
    const client = clientOf({ adapter, validateStatus: null }, { ...atOnce, bucket: oneToken() });
    const response = await client.get('http://upstream/');
    expect(response.data).not.toBe(data);
    const got: unknown[] = [];
    for await (const part of response.data) got.push(part);
    expect(got).toEqual(data instanceof Readable ? parts : [new TextEncoder().encode('text')]);
  }
});

test('a streamed 503 to a HEAD keeps its connection, whatever its content-length', async () => {
  const down: Step = { status: 503, headers: { 'content-length': '1000000' } };
  const server = await serve(down, down, { status: 200 });
  const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
  afterTest(() => httpAgent.destroy());
  // Not with Node's fetch, which closes the connection after any HEAD.
  await clientOf({ adapter: 'http', responseType: 'stream', httpAgent }).head(server.url);
  expect([server.seen.length, server.connections()]).toEqual([3, 1]);
});

test.each(['http', 'fetch'])(
  'all discarded bodies share one listener on their signal: %s',
  async (adapter) => {
    const controller = new AbortController();
    const { signal } = controller;
    const server = await serve('endless-503');
    let retries = 0;
    const all = Promise.withResolvers<void>();
    const onEvent: PolicyOptions['onEvent'] = ({ type }) => {
      if (type === 'retry') retries += 1;
      if (retries === 20) all.resolve();
    };
    const clock = virtualClock({ startMs: 0 });
    const client = clientOf(
      { adapter, responseType: 'stream' },
      { ...atOnce, clock, maxRetries: 1, onEvent },
    );
    const calls = Array.from({ length: 20 }, () => errorOf(client.get(server.url, { signal })));
    await all.promise;
    await setImmediate();
    expect(clock.pending).toBe(20);
    // Without axios's own, one for each streamed response.
    const names = getEventListeners(signal, 'abort').map(({ name }) => name);
    expect(names.filter((name) => name !== 'abort' && name !== 'onabort')).toHaveLength(1);
    controller.abort();
    for (const error of await Promise.all(calls)) expect(error.code).toBe('ERR_CANCELED');
    expect(clock.pending).toBe(0);
  },
);
