import { setImmediate } from 'node:timers/promises';
import { attemptsOf, constant } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import type { AxiosError } from 'axios';
import { afterAll, expect, test } from 'vitest';
import { refusingPort } from '../../../test/refusing.ts';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { FakeXhr } from '../test/fake-xhr.ts';

// axios looks for XMLHttpRequest when it is loaded.
Object.assign(globalThis, { XMLHttpRequest: FakeXhr });
const { default: axios } = await import('axios');
const { ebbInterceptor } = await import('./index.ts');
afterAll(() => {
  Reflect.deleteProperty(globalThis, 'XMLHttpRequest');
});

const DOWN: Step = { status: 503, body: 'down' };
const UP: Step = { status: 200, body: '{"up":true}', headers: { a: 'b' } };

function clientOf(options: Parameters<typeof ebbInterceptor>[0] = {}) {
  const client = axios.create({ adapter: 'xhr' });
  client.interceptors.request.use(ebbInterceptor({ backoff: constant(0), ...options }));
  return client;
}

const kindsOf = (result: unknown) => attemptsOf(result).map(({ status, failure }) => status ?? failure);

test('error statuses and broken connections are retried with the same body', async () => {
  const server = await serve(DOWN, 'reset', UP);
  const response = await clientOf().put(server.url, { c: 'd' });
  expect([response.data, response.headers.a]).toEqual([{ up: true }, 'b']);
  expect(kindsOf(response)).toEqual([503, 'network', 200]);
  expect(server.seen.map(({ body }) => body)).toEqual(['{"c":"d"}', '{"c":"d"}', '{"c":"d"}']);
});

test('timeout applies to each attempt', async () => {
  const server = await serve('hang', 'hang', UP);
  server.onHang = () => FakeXhr.timeOut();
  expect(kindsOf(await clientOf().get(server.url, { timeout: 30 }))).toEqual(['timeout', 'timeout', 200]);
});

test('attemptTimeoutMs stops the request', async () => {
  const server = await serve('hang', UP);
  const clock = virtualClock({ startMs: 0 });
  const response = clientOf({ clock, attemptTimeoutMs: 50 }).get(server.url);
  while (server.seen.length < 1) await setImmediate();
  await clock.advance(50);
  expect(kindsOf(await response)).toEqual(['timeout', 200]);
  expect(clock.pending).toBe(0);
});

test('an abort rejects with axios’s own CanceledError', async () => {
  const server = await serve(DOWN, 'hang');
  const controller = new AbortController();
  server.onHang = () => controller.abort(new Error('enough'));
  const error = await clientOf()
    .get(server.url, { signal: controller.signal })
    .catch((error: AxiosError) => error);
  expect(axios.isCancel(error)).toBe(true);
  expect((error as AxiosError).cause).toBe(controller.signal.reason);
  expect(kindsOf(error)).toEqual([503, 'aborted']);
});

test('a POST that was done and redirected is not sent again', async () => {
  const goTo = (location: string): Step => ({ status: 303, headers: { location } });
  const port = await refusingPort();
  for (const receipt of ['/receipt', `http://127.0.0.1:${port}/`]) {
    const server = await serve(goTo(receipt), { status: 429 });
    const error = await clientOf()
      .post(`${server.url}charge`)
      .catch((error: unknown) => error);
    expect(attemptsOf(error).map(({ reason }) => reason)).toEqual(['not-idempotent']);
    expect(server.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  }
});

test('a POST that was refused is sent again, however its URL is written', async () => {
  const server = await serve({ status: 429 }, UP);
  const response = await clientOf().post(`${server.url.toUpperCase()}a b?c#part`);
  expect(kindsOf(response)).toEqual([429, 200]);
});
