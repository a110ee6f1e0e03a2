import diagnostics from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import {
  attemptsOf,
  constant,
  createPolicy,
  detailsOf,
  type EbbEvent,
  type PolicyOptions,
  perKey,
  tokenBucket,
} from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { type Step, type Upstream, upstream } from './server.ts';

const options: PolicyOptions = { methods: 'all', maxRetries: 1, backoff: constant(0) };
const secret = {
  headers: { authorization: 'Bearer SECRET', cookie: 'SECRET', 'idempotency-key': 'SECRET' },
  body: 'SECRET',
};
const refusal: Step = {
  status: 503,
  headers: { 'set-cookie': 'c=SECRET', location: '/SECRET', 'x-error': 'SECRET' },
  body: 'SECRET',
};

/** Its key is a secret. */
const EMPTY = perKey(
  () =>
    tokenBucket({
      refillPerSecond: 0.001,
      initialTokens: 0,
      nonConforming: 'reject',
    }),
  { keyOf: () => 'SECRET' },
);

type Send = (policy: PolicyOptions, url: URL, signal?: AbortSignal) => Promise<unknown>;

const clients: Readonly<Record<string, Send>> = {
  fetch: (policy, url, signal) => {
    return createFetch(policy)(url, { method: 'POST', ...secret, signal: signal ?? null });
  },
  axios: (policy, url, signal) => {
    const client = axios.create();
    client.interceptors.request.use(ebbAxios(policy));
    const config = { headers: secret.headers, auth: { username: 'SECRET', password: 'SECRET' } };
    return client.post(url.href, secret.body, { ...config, ...(signal && { signal }) });
  },
  undici: async (policy, url, signal) => {
    const agent = new Agent();
    const dispatcher = agent.compose(ebbUndici(policy));
    const response = await request(url, { method: 'POST', ...secret, dispatcher, signal: signal ?? null });
    await response.body.dump();
    await agent.close();
    return response.context;
  },
};

const CHANNELS = ['wait', 'mark', 'attempt', 'retry', 'nested-retries', 'end'] as const;
const unsubscribe: (() => void)[] = [];
const servers: Upstream[] = [];
afterEach(async () => {
  for (const end of unsubscribe.splice(0)) end();
  for (const server of servers.splice(0)) await server.close();
});

async function open(steps: Step[]): Promise<Upstream> {
  const server = await upstream(steps);
  servers.push(server);
  return server;
}

/** Everything that leaves without being asked for: events, messages of the channels, warnings. */
function listen(): { readonly events: EbbEvent[]; readonly told: unknown[] } {
  const events: EbbEvent[] = [];
  const told: unknown[] = [];
  const listener = (message: unknown): void => void told.push(message);
  for (const type of CHANNELS) {
    diagnostics.subscribe(`ebb:${type}`, listener);
    unsubscribe.push(() => diagnostics.unsubscribe(`ebb:${type}`, listener));
  }
  process.on('warning', listener);
  unsubscribe.push(() => process.off('warning', listener));
  return { events, told };
}

const shown = (value: unknown): string => inspect(value, { depth: 20, maxStringLength: null, getters: true });

describe.each(Object.entries(clients))('%s: no secret is in events, messages and history', (_, send) => {
  const rows: [story: string, steps: Step[], policy: PolicyOptions, end: string][] = [
    ['after responses', [refusal, refusal], {}, 'retries-exhausted'],
    ['after a success', [refusal, { ...refusal, status: 200 }], {}, 'success'],
    ['after a connection that broke', ['reset', 'reset'], {}, 'retries-exhausted'],
    ['of a request that gets no tokens of its key', [], { bucket: EMPTY }, 'limited'],
    ['after a hook that failed', [refusal], { beforeAttempt: failing, trustedOrigins: () => true }, 'final'],
    ['after an observer that failed', [refusal, refusal], { onEvent: failing }, 'retries-exhausted'],
  ];
  test.each(rows)('%s', async (_story, steps, policy, end) => {
    const server = await open(steps);
    const { events, told } = listen();
    const onEvent = (event: EbbEvent): unknown => {
      events.push(event);
      return policy.onEvent?.(event);
    };
    const url = new URL(`path?key=SECRET#SECRET`, server.url);
    const result = await send({ ...options, ...policy, onEvent }, url).catch((error: unknown) => error);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: end });
    // The warning about an observer is emitted in a later turn.
    if (policy.onEvent !== undefined) {
      await expect.poll(() => told.some((message) => message instanceof Error)).toBe(true);
    }
    expect(shown([events, told, attemptsOf(result)])).not.toContain('SECRET');
    expect(JSON.stringify([events, told, attemptsOf(result)])).not.toContain('SECRET');
    for (const event of events) {
      expect(event.request).toEqual({ method: 'POST', url: new URL('path', server.url).href });
      expect(detailsOf(event)?.request.url).toContain('SECRET');
    }
  });

  test('after an abort with a reason of its own', async () => {
    const server = await open(['hang']);
    const { events, told } = listen();
    const controller = new AbortController();
    server.onHang = () => controller.abort(Object.assign(new Error('SECRET'), { code: 'a SECRET' }));
    const url = new URL(`path?key=SECRET`, server.url);
    const onEvent = (event: EbbEvent): unknown => events.push(event);
    const error = await send({ ...options, onEvent }, url, controller.signal).catch(
      (error: unknown) => error,
    );
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'aborted' });
    expect(shown([events, told, attemptsOf(error)])).not.toContain('SECRET');
  });
});

/** An error as axios makes them: with the headers of its request, and with the URL in its message. */
function failing(): never {
  const config = { url: 'https://api.test/?key=SECRET', headers: secret.headers };
  throw Object.assign(new Error('the token could not be fetched'), { config, name: 'AxiosError' });
}

test.each<[what: string, options: object]>([
  ['a URL of a store', { bucket: 'redis://:SECRET@store.test:6379' }],
  ['a password with a slash in it', { bucket: 'redis://:SEC/SECRET@store.test:6379' }],
  ['the fields of a value', { bucket: { host: 'store.test', password: 'SECRET' } }],
  ['the value of an unknown option', { apiKey: 'SECRET' }],
])('an error for a wrong option, and what Node prints of it, does not have %s', (_, wrong) => {
  const make = (): unknown => createPolicy(wrong);
  expect(make).toThrow(TypeError);
  try {
    make();
  } catch (error) {
    expect(shown(error)).not.toContain('SECRET');
    expect(JSON.stringify(error)).not.toContain('SECRET');
  }
});

test.each<[what: string, wrong: object]>([
  ['a token in place of headers', { beforeAttempt: () => 'SECRET' }],
  ['a list of tokens', { beforeAttempt: () => ({ authorization: ['SECRET'] }) }],
  ['a key that is no string', { idempotencyKey: () => ({ key: 'SECRET' }) }],
  [
    'a key of a bucket',
    { bucket: perKey(() => tokenBucket({ refillPerSecond: 1 }), { keyOf: (() => ['SECRET']) as never }) },
  ],
])('an error for what a hook returned, and what Node prints of it, does not have %s', async (_, wrong) => {
  const error = await createFetch(wrong)('http://127.0.0.1:9/', { method: 'POST' }).catch(
    (error: unknown) => error,
  );
  expect(error).toMatchObject({ name: 'HookError' });
  expect(shown(error)).not.toContain('SECRET');
});
