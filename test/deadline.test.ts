import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { attemptsOf, constant, createPolicy, inspectBody, type PolicyOptions } from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const never = new Promise<never>(() => undefined);
let url = '';
/** What the server does with a request after its headers. */
let answer = (response: ServerResponse): void => void response.end('x');
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/plain' }).flushHeaders();
  answer(response);
});
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

type Send = (policy: PolicyOptions, signal?: AbortSignal) => Promise<unknown>;

const clients: Readonly<Record<string, Send>> = {
  fetch: async (policy, signal) => (await createFetch(policy)(url, signal && { signal })).text(),
  axios: (policy, signal) => {
    const client = axios.create();
    client.interceptors.request.use(ebbAxios(policy));
    return client.get(url, signal && { signal });
  },
  undici: async (policy, signal) => {
    const agent = new Agent();
    try {
      const dispatcher = agent.compose(ebbUndici(policy));
      return await (await request(url, { dispatcher, ...(signal && { signal }) })).body.text();
    } finally {
      await agent.destroy();
    }
  },
};

/** Where a request can stall, and who stalls it. */
const STALLS: Readonly<Record<string, () => PolicyOptions>> = {
  'an inspect that never settles': () => ({ inspect: inspectBody(() => never, { timeoutMs: 60_000 }) }),
  'an inspect that waits for a body that is held back': () => {
    answer = () => undefined;
    return { inspect: inspectBody(async (response) => void (await response.text()), { timeoutMs: 60_000 }) };
  },
  'a part that reads for ever': () => ({
    plugins: [{ name: 'own', inspect: { judge: () => never } }],
  }),
  'a wait of a limit that never ends': () => ({
    limits: [{ name: 'own', take: () => ({ acquire: () => never }) }],
  }),
  'a hook that never answers': () => ({ beforeAttempt: () => never, trustedOrigins: () => true }),
};

/** Settles as the call does, or with `late` after so much virtual time. */
async function within(clock: VirtualClock, durationMs: number, call: Promise<unknown>): Promise<unknown> {
  let settled: unknown = 'late';
  const watched = call.then(
    (value) => {
      settled = value;
    },
    (error: unknown) => {
      settled = error;
    },
  );
  // Real turns, in which real sockets answer, between small steps of the virtual clock.
  for (let passedMs = 0; passedMs < durationMs && settled === 'late'; passedMs += 5) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    await clock.advance(5);
  }
  await Promise.race([watched, new Promise((resolve) => setTimeout(resolve, 20))]);
  return settled;
}

describe.each(Object.entries(clients))('%s', (name, send) => {
  test.each(Object.entries(STALLS))('%s ends with totalTimeoutMs', async (_, stall) => {
    answer = (response) => void response.end('x');
    const clock = virtualClock();
    const policy = { clock, maxRetries: 3, backoff: constant(0), totalTimeoutMs: 200, ...stall() };
    expect(await within(clock, 220, send(policy))).toBeInstanceOf(Error);
    expect(clock.pending).toBe(0);
  });

  test.each(
    Object.entries(STALLS).flatMap(([what, stall]) => [
      [what, 'a total timeout', { totalTimeoutMs: 5_000 }, stall] as const,
      [what, 'no timeout', {}, stall] as const,
    ]),
  )('%s ends with the signal of the caller, with %s', async (_what, _timeout, timeout, stall) => {
    answer = (response) => void response.end('x');
    const clock = virtualClock();
    const caller = new AbortController();
    const policy = { clock, maxRetries: 3, backoff: constant(0), ...timeout, ...stall() };
    const call = send(policy, caller.signal);
    setTimeout(() => caller.abort(new Error('enough')), 60);
    expect(await within(clock, 400, call)).toBeInstanceOf(Error);
    expect(clock.pending).toBe(0);
  });

  test('a look that outlasts attemptTimeoutMs is a timeout, and retried', async () => {
    answer = (response) => void response.end('x');
    const clock = virtualClock();
    let looks = 0;
    const inspect = inspectBody(
      () => {
        looks += 1;
        return looks === 1 ? never : undefined;
      },
      { timeoutMs: 60_000 },
    );
    const reasons: (string | undefined)[] = [];
    const policy = createPolicy({
      clock,
      backoff: constant(0),
      attemptTimeoutMs: 100,
      inspect,
      onEvent: (event) => {
        if (event.type === 'retry' || event.type === 'end')
          reasons.push(event.outcome?.type === 'failure' ? event.outcome.kind : event.reason);
      },
    });
    const got = await within(clock, 220, send(policy));
    expect(got).not.toBe('late');
    expect(got).not.toBeInstanceOf(Error);
    expect([looks, reasons]).toEqual([2, ['timeout', 'success']]);
    if (name === 'axios') expect(attemptsOf(got)).toHaveLength(2);
  });
});
