import { constant, createPolicy, type PolicyOptions, tokenBucket } from '@ebb/core';
import { LAYER } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosAdapter, type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import { beforeEach, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { responseTo } from '../test/adapters.ts';
import { errorOf, kindsOf, reasonsOf } from '../test/client.ts';
import { UP } from '../test/steps.ts';
import { ebbInterceptor } from './index.ts';

/** The clock of {@link lateClient}, for the limits of a test. */
let time = virtualClock({ startMs: 0 });
beforeEach(() => {
  time = virtualClock({ startMs: 0 });
});

/**
 * A client whose adapter waits for something at its first attempt, and goes on with its config when the test says so. By
 * then the attempt has timed out.
 */
function lateClient(
  options: PolicyOptions,
  send: (config: InternalAxiosRequestConfig, below: AxiosInstance) => unknown,
) {
  const clock = time;
  const policy = createPolicy({
    clock,
    attemptTimeoutMs: 50,
    backoff: constant(1_000),
    maxRetries: 1,
    ...options,
  });
  const both = ebbInterceptor(policy);
  const below = axios.create({ adapter: 'http' });
  below.interceptors.request.use(both);
  const gate = Promise.withResolvers<void>();
  const late = Promise.withResolvers<unknown>();
  let attempts = 0;
  const adapter: AxiosAdapter = async (config) => {
    attempts += 1;
    if (attempts > 1) return axios.getAdapter('http')(config);
    await gate.promise;
    try {
      const sent = await send(config, below);
      late.resolve(sent);
    } catch (error) {
      late.resolve(error);
    }
    return responseTo(config);
  };
  const client = axios.create({ adapter });
  client.interceptors.request.use(both);
  return {
    client,
    clock,
    /** Lets the first attempt go on, and returns what came of it. */
    async goOn(): Promise<unknown> {
      gate.resolve();
      return late.promise;
    },
  };
}

test.each<[how: string, send: (config: InternalAxiosRequestConfig) => unknown]>([
  ['an instance without ebb', (config) => axios.request({ ...config, adapter: 'http' })],
  ['the fetch adapter', (config) => axios.getAdapter('fetch')(config)],
])('an attempt that is over does not send through %s while ebb waits for the retry', async (_, send) => {
  const server = await serve(UP);
  const { client, clock, goOn } = lateClient({}, send);
  const response = client.get(server.url);
  await clock.advance(50);
  expect(await goOn()).toMatchObject({ message: 'timeout of 50ms exceeded' });
  await clock.advance(1_000);
  expect([kindsOf(await response), server.seen.length]).toEqual([['timeout', 200], 1]);
  expect('cancelToken' in (await response).config).toBe(false);
});

test('the headers of its attempt, and the mark of its layer, stay in the config until the retry', async () => {
  const server = await serve(UP);
  const idempotencyKey = () => 'key';
  const beforeAttempt: PolicyOptions['beforeAttempt'] = ({ attempt }) => ({ 'x-attempt': String(attempt) });
  const { client, clock, goOn } = lateClient({ idempotencyKey, beforeAttempt }, ({ headers, ...config }) => [
    headers.get('idempotency-key'),
    headers.get('x-attempt'),
    headers.get('x-own'),
    LAYER in ((config as { fetchOptions?: object }).fetchOptions ?? {}),
  ]);
  const response = client.post(server.url, 'text', { headers: { 'x-own': 'a' } });
  await clock.advance(50);
  expect(await goOn()).toEqual(['key', '1', 'a', true]);
  await clock.advance(1_000);
  const { headers } = (await response).config;
  expect([headers.has('idempotency-key'), headers.has('x-attempt'), headers.get('x-own')]).toEqual([
    false,
    false,
    'a',
  ]);
  expect(server.seen.map(({ headers }) => headers['x-attempt'])).toEqual(['2']);
});

test('the config is restored if the retry is not sent', async () => {
  const { token } = axios.CancelToken.source();
  for (const cancelToken of [undefined, token]) {
    const bucket = tokenBucket({ refillPerSecond: 1e-6, capacity: 1, clock: time });
    const { client, clock } = lateClient({ bucket, maxWaitMs: 10 }, () => undefined);
    const beforeAttempt: PolicyOptions['beforeAttempt'] = () => ({ 'x-a': 'b' });
    const config = cancelToken === undefined ? {} : { cancelToken };
    const failure = errorOf(client.get('/', { ...config, ebb: { beforeAttempt } }));
    await clock.advance(2_000);
    const error = await failure;
    expect([kindsOf(error), reasonsOf(error)]).toEqual([['timeout'], ['limited']]);
    expect([error.config?.cancelToken, error.config?.headers.has('x-a')]).toEqual([cancelToken, false]);
    expect(Object.getOwnPropertySymbols(error.config)).toEqual([]);
  }
});

test('an abort while ebb waits restores the config as well', async () => {
  const { client, clock } = lateClient({ idempotencyKey: true }, () => undefined);
  const controller = new AbortController();
  const failure = errorOf(client.post('/', 'text', { signal: controller.signal }));
  await clock.advance(500);
  controller.abort();
  const { config } = await failure;
  expect([config?.headers.has('idempotency-key'), config && 'cancelToken' in config]).toEqual([false, false]);
  expect(Object.getOwnPropertySymbols(config)).toEqual([]);
});
