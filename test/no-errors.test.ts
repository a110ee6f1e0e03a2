import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import {
  concurrencyLimit,
  constant,
  createPolicy,
  inspectBody,
  type PolicyOptions,
  tokenBucket,
} from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { hedged } from '@ebb/hedge/fetch';
import { hedged as hedgedDispatcher } from '@ebb/hedge/undici';
import { instrument } from '@ebb/opentelemetry';
import { costFromResponse } from '@ebb/providers';
import { resumable as resumableFetch } from '@ebb/resume/fetch';
import { resumable as resumingUndici } from '@ebb/resume/undici';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, type Dispatcher, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const thrower = (): never => {
  throw new Error('a trap');
};
const trapped = (): object => new Proxy({}, new Proxy({}, { get: () => thrower }) as ProxyHandler<object>);
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** What is thrown and is no error. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  'a text': () => 'lost',
  'a number': () => 0,
  'a symbol': () => Symbol('lost'),
  'an object without a prototype': () => Object.create(null),
  'a frozen error': () => Object.freeze(new Error('lost')),
  'a proxy whose traps throw': trapped,
  'a proxy that was revoked': revoked,
};

let url = '';
const server = createServer((_, response) => response.end('x'));
const uncaught: unknown[] = [];
const catchIt = (error: unknown): void => void uncaught.push(error);
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  process.on('uncaughtException', catchIt).on('unhandledRejection', catchIt);
});
afterAll(() => {
  process.off('uncaughtException', catchIt).off('unhandledRejection', catchIt);
  server.closeAllConnections();
  server.close();
});

/** Sends a request whose attempts throw this, if it is to be thrown there, and settles. */
type Client = (policy: PolicyOptions, attempt: (() => unknown) | undefined) => Promise<unknown>;

/** A body that breaks with a value. */
const brokenBody = (value: () => unknown) =>
  new Response(
    new ReadableStream({
      pull(controller) {
        controller.error(value());
      },
    }),
    { headers: { etag: '"a"', 'content-length': '5' } },
  );

const clients: Readonly<Record<string, Client>> = {
  fetch: (policy, attempt) =>
    createFetch(policy, async (...args) => (attempt ? Promise.reject(attempt()) : fetch(...args)))(url),
  'fetch whose body breaks': async (policy, attempt) =>
    (
      await createFetch(policy, async (...args) => (attempt ? brokenBody(attempt) : fetch(...args)))(url)
    ).text(),
  'fetch, resuming': async (policy, attempt) =>
    (
      await resumableFetch(
        createFetch(policy, async (...args) => (attempt ? brokenBody(attempt) : fetch(...args))),
        { policy: { backoff: constant(0) } },
      )(url)
    ).text(),
  'fetch, hedged': (policy, attempt) =>
    hedged(
      createFetch(policy, async (...args) => (attempt ? Promise.reject(attempt()) : fetch(...args))),
      { policy, delayMs: 1 },
    )(url),
  axios: (policy, attempt) => {
    const client = axios.create({
      baseURL: url,
      ...(attempt && { adapter: async () => Promise.reject(attempt()) }),
    });
    client.interceptors.request.use(ebbAxios(policy));
    return client.get('/');
  },
  undici: (policy, attempt) => dispatched([ebbUndici(policy)], attempt, 'head'),
  'undici whose body breaks': (policy, attempt) => dispatched([ebbUndici(policy)], attempt, 'body'),
  'undici, resuming': (policy, attempt) =>
    dispatched([ebbUndici(policy), resumingUndici({ policy: { backoff: constant(0) } })], attempt, 'body'),
  'undici, hedge': (policy, attempt) =>
    dispatched(
      [hedgedDispatcher({ policy: createPolicy(policy), delayMs: 1 }), ebbUndici(policy)],
      attempt,
      'head',
    ),
  'undici, whose hedge is under way': (policy, attempt) =>
    dispatched(
      [hedgedDispatcher({ policy: createPolicy(policy), delayMs: 1 }), ebbUndici(policy)],
      attempt,
      'late',
    ),
};

async function dispatched(
  ours: readonly Dispatcher.DispatcherComposeInterceptor[],
  attempt: (() => unknown) | undefined,
  where: 'head' | 'body' | 'late',
): Promise<unknown> {
  const agent = new Agent();
  const failing: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    if (attempt === undefined) return dispatch(options, handler);
    const controller = {
      paused: false,
      aborted: false,
      reason: null,
      abort: () => undefined,
      pause() {},
      resume() {},
    };
    handler.onRequestStart?.(controller as never, {});
    const head = { etag: '"a"', 'content-length': '5' };
    if (where === 'body') handler.onResponseStart?.(controller as never, 200, head, 'OK');
    const fail = () => handler.onResponseError?.(controller as never, attempt() as Error);
    if (where === 'late') setTimeout(fail, 5);
    else setImmediate(fail);
    return true;
  };
  try {
    const response = await request(url, { dispatcher: agent.compose(failing, ...ours) });
    return await response.body.text();
  } finally {
    await agent.destroy();
  }
}

const makeOptions = () => ({
  backoff: constant(0),
  maxRetries: 1,
  bucket: tokenBucket({ refillPerSecond: 1e6, capacity: 1e6 }),
  concurrency: concurrencyLimit({ maxConcurrent: 5 }),
  trustedOrigins: () => true,
});

/** Where user code throws it. */
const places: Readonly<Record<string, (value: () => unknown) => PolicyOptions>> = {
  beforeAttempt: (value) => ({ beforeAttempt: () => Promise.reject(value()) }),
  classify: (value) => ({
    classify: () => {
      throw value();
    },
  }),
  cost: (value) => ({
    cost: () => {
      throw value();
    },
  }),
  onEvent: (value) => ({ onEvent: () => Promise.reject(value()) }),
  inspect: (value) => ({ inspect: inspectBody(() => Promise.reject(value())) }),
  actualCost: (value) => ({ actualCost: costFromResponse(() => Promise.reject(value())) }),
  wrapAttempt: (value) => ({
    wrapAttempt: () => {
      throw value();
    },
  }),
  idempotencyKey: (value) => ({
    methods: 'all',
    idempotencyKey: () => {
      throw value();
    },
  }),
};

/** @param escapesBare what no one has caught when the client was called without ebb */
async function settles(run: Promise<unknown>, escapesBare: readonly string[] = []): Promise<string> {
  const late = new Promise((_, reject) => setTimeout(reject, 1_000, 'late').unref());
  const end = await Promise.race([run, late]).then(
    () => 'resolved',
    (error: unknown) => (error === 'late' ? 'late' : 'rejected'),
  );
  await new Promise(setImmediate);
  const escaped = uncaught.splice(0).map((error) => (error instanceof Error ? error.message : typeof error));
  expect(escapesBare).toEqual(expect.arrayContaining(escaped));
  return end;
}

describe.each(Object.entries(clients))('%s', (client, send) => {
  test.each(Object.keys(VALUES))('an attempt that fails with %s settles', async (name) => {
    const value = VALUES[name] as () => unknown;
    const escapes: string[] = [];
    if (client.startsWith('undici')) {
      const bare = dispatched([], value, /body|resuming/.test(client) ? 'body' : 'head').catch(() => 'fails');
      // undici itself waits for ever for a body that breaks with nothing.
      if ((await Promise.race([bare, new Promise((resolve) => setTimeout(resolve, 200))])) === undefined)
        return;
      // What undici throws where no one catches it comes in a later turn.
      for (let turn = 0; turn < 50 && uncaught.length === 0; turn += 1) await new Promise(setImmediate);
      await new Promise(setImmediate);
      escapes.push(
        ...uncaught.splice(0).map((error) => (error instanceof Error ? error.message : typeof error)),
      );
    }
    expect(await settles(send(makeOptions(), value), escapes)).toBe('rejected');
    expect(await settles(send(instrument(makeOptions()), value), escapes)).toBe('rejected');
  });

  test.each(Object.keys(VALUES))('user code that throws %s settles', async (name) => {
    const value = VALUES[name] as () => unknown;
    for (const [place, make] of Object.entries(places)) {
      expect([place, await settles(send({ ...makeOptions(), ...make(value) }, undefined))]).not.toContain(
        'late',
      );
    }
  });
});
