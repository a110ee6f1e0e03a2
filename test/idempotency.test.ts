import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { attemptsOf, constant, type PolicyOptions } from '@ebb/core';
import { idempotencyAnswers, mayHaveSucceeded } from '@ebb/core/idempotency';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request } from 'undici';
import { expect, test } from 'vitest';
import { type Step, upstream } from './server.ts';

type Send = (url: string, method: string, headers: Record<string, string>) => Promise<unknown>;

/** Each returns the result that carries the history: a response, an error, or the context of a response. */
const sends: Readonly<Record<string, (policy: PolicyOptions) => Send>> = {
  fetch: (policy) => {
    const fetch = createFetch(policy);
    return (url, method, headers) => fetch(url, { method, headers });
  },
  axios: (policy) => {
    const client = axios.create();
    client.interceptors.request.use(ebbAxios(policy));
    return (url, method, headers) =>
      client.request({ url, method, headers }).catch((error: unknown) => error);
  },
  undici: (policy) => {
    const dispatcher = new Agent().compose(ebbUndici(policy));
    return async (url, method, headers) => {
      const sent = { method: method as 'PUT', headers, dispatcher };
      const { context, body } = await request(url, sent);
      await body.dump();
      return context;
    };
  },
};

const gone: Step = { status: 404 };
const unmet: Step = { status: 412 };
const done: Step = { status: 201 };

/** What comes of a request, and what the service has received. */
async function play(name: string, script: readonly Step[], method: string, headers = {}) {
  const server = await upstream(script);
  const plugins = [idempotencyAnswers({ waitMs: 1 })];
  const send = sends[name]?.({ backoff: constant(0), plugins, maxRetries: 3 }) as Send;
  try {
    const result = await send(server.url, method, headers);
    return { result, attempts: attemptsOf(result), seen: server.seen };
  } finally {
    await server.close();
  }
}

test.each(Object.keys(sends))('%s: writes that may have succeeded are told from others', async (name) => {
  const may = async (...played: Parameters<typeof play>) => mayHaveSucceeded((await play(...played)).result);
  expect(await may(name, ['reset', gone], 'DELETE')).toBe(true);
  expect(await may(name, [{ status: 502 }, unmet], 'PUT', { 'if-match': '"1"' })).toBe(true);
  expect(await may(name, [gone], 'DELETE')).toBe(false);
  expect(await may(name, [{ status: 429 }, unmet], 'PUT', { 'if-none-match': '*' })).toBe(false);
});

test.each(Object.keys(sends))('%s: a request in progress is asked again with its key', async (name) => {
  const replayed: Step = { status: 201, headers: { 'Idempotent-Replayed': 'true' } };
  const headers = { 'idempotency-key': 'order-1' };
  const { attempts, seen } = await play(name, ['reset', { status: 409 }, replayed], 'POST', headers);
  expect(attempts.map(({ status, replayed }) => [status, replayed])).toEqual([
    [undefined, undefined],
    [409, undefined],
    [201, true],
  ]);
  expect(seen.map((one) => one.headers['idempotency-key'])).toEqual(['order-1', 'order-1', 'order-1']);
});

test.each(Object.keys(sends))('%s: another body, or no key, is final', async (name) => {
  const headers = { 'idempotency-key': 'order-1' };
  expect((await play(name, [{ status: 422 }, done], 'POST', headers)).attempts).toMatchObject([
    { status: 422, reason: 'final' },
  ]);
  expect((await play(name, [{ status: 409 }, done], 'POST')).attempts).toMatchObject([
    { status: 409, reason: 'final' },
  ]);
});
