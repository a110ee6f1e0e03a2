// The time that ebb and other libraries add to a request that succeeds at once: each client over a stub that responds
// at once, without a library, with ebb, and with another library. Medians of interleaved rounds.
// Run: pnpm bench overhead
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { createPolicy, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios, { type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import axiosRetry from 'axios-retry';
import fetchRetry from 'fetch-retry';
import pRetry from 'p-retry';
import { type Dispatcher, interceptors } from 'undici';

const ROUNDS = 15;
const CALLS = 20_000;
const url = 'http://upstream.test/';
const policy = createPolicy();
const withBucket = createPolicy({ bucket: tokenBucket({ capacity: 1e9, refillPerSecond: 1e9 }) });

type Call = () => unknown;

// A new object each time, as a real client makes it.
const HEADERS = new Headers({ 'content-type': 'text/plain', date: 'Sat, 21 Nov 2026 12:00:00 GMT' });
class StubResponse {
  readonly status = 200;
  readonly ok = true;
  readonly headers = HEADERS;
}
const stubFetch = (async () => new StubResponse()) as unknown as typeof fetch;
const retryingFetch = fetchRetry(stubFetch);
const ebbFetch = createFetch(policy, stubFetch);
const bucketFetch = createFetch(withBucket, stubFetch);

function stubAxios(prepare: (instance: AxiosInstance) => unknown): Call {
  const adapter = async (config: InternalAxiosRequestConfig) => {
    return { status: 200, statusText: 'OK', headers: {}, data: '', config };
  };
  const instance = axios.create({ adapter });
  prepare(instance);
  return () => instance.get(url);
}

const controller = { paused: false, aborted: false, reason: null, pause() {}, resume() {}, abort() {} };
const stubDispatch = (_: unknown, handler: Dispatcher.DispatchHandler): boolean => {
  handler.onRequestStart?.(controller as never, undefined);
  handler.onResponseStart?.(controller as never, 200, {}, 'OK');
  handler.onResponseEnd?.(controller as never, {});
  return true;
};
class Downstream implements Dispatcher.DispatchHandler {
  onRequestStart(): void {}
  onResponseStart(): void {}
  onResponseData(): void {}
  onResponseEnd(): void {}
  onResponseError(): void {}
}
function stubUndici(compose?: Dispatcher.DispatcherComposeInterceptor): Call {
  const dispatch = compose === undefined ? stubDispatch : compose(stubDispatch as never);
  const options = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;
  return () => dispatch(options, new Downstream());
}

const contests: Readonly<Record<string, Readonly<Record<string, Call>>>> = {
  fetch: {
    bare: () => stubFetch(url),
    ebb: () => ebbFetch(url),
    'ebb with a bucket': () => bucketFetch(url),
    'fetch-retry': () => retryingFetch(url),
    'p-retry': () => pRetry(() => stubFetch(url)),
  },
  axios: {
    bare: stubAxios(() => undefined),
    ebb: stubAxios((instance) => instance.interceptors.request.use(ebbAxios(policy))),
    'axios-retry': stubAxios((instance) => axiosRetry(instance)),
  },
  undici: {
    bare: stubUndici(),
    ebb: stubUndici(ebbUndici(policy)),
    'interceptors.retry': stubUndici(interceptors.retry()),
  },
};

async function nsPerCall(call: Call): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < CALLS; n += 1) await call();
  return ((performance.now() - start) * 1e6) / CALLS;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

for (const [client, calls] of Object.entries(contests)) {
  const rounds = new Map(Object.keys(calls).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, call] of Object.entries(calls)) rounds.get(name)?.push(await nsPerCall(call));
  }
  const bareNs = median(rounds.get('bare') ?? []);
  const ebbNs = median(rounds.get('ebb') ?? []) - bareNs;
  console.log(`${client}: bare ${bareNs.toFixed(0)} ns a request`);
  for (const [name, ns] of rounds) {
    if (name === 'bare') continue;
    const addedNs = median(ns) - bareNs;
    console.log(
      `  ${name.padEnd(20)} adds ${addedNs.toFixed(0).padStart(6)} ns   ${(addedNs / ebbNs).toFixed(2)} × ebb`,
    );
  }
}
