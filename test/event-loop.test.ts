import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { constant, createPolicy, type Limit, type PolicyOptions, retry } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { resumable } from '@ebb/resume/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios, { AxiosError } from 'axios';
import { Agent, type Dispatcher, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';

/** Calls a client, or `retry`, over a function that fails within the turn, once for each attempt. */
type Send = (options: PolicyOptions, attempt: () => void, signal?: AbortSignal) => Promise<unknown>;

const url = 'http://a.test/';
const failure = (): Error => Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });

const sends: Readonly<Record<string, Send>> = {
  fetch: (options, attempt, signal) =>
    createFetch(options, async () => {
      attempt();
      throw failure();
    })(url, { signal: signal ?? null }),
  'fetch with responses': (options, attempt, signal) =>
    createFetch(options, async () => {
      attempt();
      return new Response(null, { status: 503, headers: { 'retry-after': '0' } });
    })(url, { signal: signal ?? null }).then(() => Promise.reject(failure())),
  axios: (options, attempt, signal) => {
    const client = axios.create({
      adapter: async (config) => {
        attempt();
        throw new AxiosError('reset', 'ECONNRESET', config, {});
      },
    });
    client.interceptors.request.use(ebbAxios(createPolicy(options)));
    return client.get(url, signal ? { signal } : {});
  },
  undici: (options, attempt, signal) => {
    const failing: Dispatcher.DispatcherComposeInterceptor = () => (_, handler) => {
      attempt();
      handler.onRequestStart?.({ abort: () => undefined } as never, {});
      handler.onResponseError?.({} as never, Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
      return true;
    };
    const dispatcher = new Agent().compose(failing, ebbUndici(createPolicy(options)));
    return request(url, { dispatcher, ...(signal && { signal }) });
  },
  retry: (options, attempt, signal) =>
    retry(
      () => {
        attempt();
        throw new Error('down');
      },
      options,
      { signal },
    ),
};

/** Counts the turns of the event loop. */
function turnsFrom(): () => number {
  let turn = 0;
  let pending: NodeJS.Immediate;
  const count = (): void => {
    turn += 1;
    pending = setImmediate(count);
  };
  pending = setImmediate(count);
  onTestFinished(() => clearImmediate(pending));
  return () => turn;
}

/** Beside a delay of 0, what else is between two attempts. */
const policies: Readonly<Record<string, () => PolicyOptions>> = {
  'no delay': () => ({}),
  'hooks that return at once': () => ({ trustedOrigins: [new URL(url).origin], beforeAttempt: () => ({}) }),
  'a virtual clock that stands': () => ({ clock: virtualClock() }),
  middleware: () => ({ middleware: [(_, send) => send()] }),
};

const table = Object.keys(sends).flatMap((client) =>
  Object.keys(policies).flatMap((policy) =>
    policy === 'middleware' && client === 'undici' ? [] : [[client, policy] as const],
  ),
);

test.each(table)('%s, %s: each attempt has a turn of its own', async (client, policy) => {
  const turn = turnsFrom();
  const turns: number[] = [];
  const options = { backoff: constant(0), maxRetries: 4, ...policies[policy]?.() };
  await expect(sends[client]?.(options, () => turns.push(turn()))).rejects.toThrow();
  expect(turns).toHaveLength(5);
  expect(new Set(turns).size).toBe(5);
});

test.each(Object.entries(sends))('%s: an abort ends attempts that fail at once', async (_, send) => {
  const caller = new AbortController();
  let attempts = 0;
  const attempt = (): void => {
    attempts += 1;
    if (attempts === 2) setTimeout(() => caller.abort(new Error('enough')), 5);
    if (attempts > 20_000) caller.abort(new Error('too late'));
  };
  const options = { backoff: constant(0), maxRetries: Infinity, totalTimeoutMs: 60_000 };
  await expect(send(options, attempt, caller.signal)).rejects.toThrow(/enough|canceled|fetch failed/);
  expect(attempts).toBeLessThan(20_000);
});

test('each scheduled attempt that is skipped has a turn of its own', async () => {
  const turn = turnsFrom();
  const turns: number[] = [];
  const skipping: Limit = {
    name: 'skipping',
    take() {
      turns.push(turn());
      return turns.length < 5 ? { skip: true, delayMs: 0 } : { skip: true };
    },
  };
  const options = { limits: [skipping] };
  await expect(retry(() => undefined, options)).rejects.toThrow('too little succeeds');
  expect(turns).toHaveLength(5);
  expect(new Set(turns).size).toBe(5);
});

test('each resumption of a body that breaks at once has a turn of its own', async () => {
  const turn = turnsFrom();
  const turns: number[] = [];
  const event = new TextEncoder().encode('id: 1\ndata: a\n\n');
  const base = async (): Promise<Response> => {
    const at = turns.push(turn());
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at === 1) controller.enqueue(event);
        controller.error(failure());
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const policy = createPolicy({ backoff: constant(0), maxRetries: 0 });
  const response = await resumable(createFetch(policy, base), { policy, maxResumes: 4 })(url);
  await expect(response.text()).rejects.toThrow();
  expect(turns).toHaveLength(5);
  expect(new Set(turns).size).toBe(5);
});
