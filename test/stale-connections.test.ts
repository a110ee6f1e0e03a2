import { once } from 'node:events';
import { createServer, Agent as HttpAgent, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { ebbInterceptor as axiosInterceptor } from '@ebb/axios';
import {
  attemptsOf,
  createPolicy,
  detailsOf,
  type EbbEvent,
  type Outcome,
  type PolicyOptions,
} from '@ebb/core';
import { replayOnStaleConnection, type StaleConnectionOptions } from '@ebb/core/stale-connections';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor } from '@ebb/undici';
import axios from 'axios';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { turns } from './until.ts';

type Send = (url: string, method: string, body?: string | (() => AsyncIterable<string>)) => Promise<object>;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function agent(): Agent {
  const made = new Agent({ connections: 1 });
  closers.push(() => made.destroy());
  return made;
}

/** What sends over kept-alive connections, one at a time. */
const CLIENTS: Readonly<Record<string, (policy: PolicyOptions) => Send>> = {
  axios(policy) {
    const httpAgent = new HttpAgent({ keepAlive: true, maxSockets: 1 });
    closers.push(() => httpAgent.destroy());
    const client = axios.create({ httpAgent, adapter: 'http' });
    client.interceptors.request.use(axiosInterceptor(policy));
    return (url, method, body) =>
      client.request({ url, method, data: typeof body === 'function' ? () => Readable.from(body()) : body });
  },
  undici(policy) {
    const dispatcher = agent().compose(ebbInterceptor(policy));
    return async (url, method, body) => {
      const response = await dispatcher.request({
        ...{ origin: new URL(url).origin, path: new URL(url).pathname, method },
        body: body as never,
      });
      await response.body.dump();
      await turns(2);
      return response;
    };
  },
  'fetch over undici'(policy) {
    const dispatcher = agent().compose(ebbInterceptor(policy));
    return async (url, method, body) => {
      const response = await undiciFetch(url, { method, body: body as never, dispatcher, duplex: 'half' });
      await response.text();
      await turns(2);
      return response;
    };
  },
  fetch(policy) {
    const fetch = createFetch(policy);
    return async (url, method, body) => {
      const response = await fetch(url, { method, body: body as never });
      await response.text();
      await turns(2);
      return response;
    };
  },
};

/** What a server does with a request, after it has read that. */
type Act = (...given: Parameters<RequestListener>) => unknown;

const answer: Act = (_, response) => response.end('ok');
const close: Act = ({ socket }) => socket.destroy();
const reset: Act = ({ socket }) => socket.resetAndDestroy();
const half: Act = ({ socket }) => socket.end('HTTP/1.1 20');

async function serve(...acts: Act[]) {
  const seen: string[] = [];
  const keys: unknown[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    keys.push(request.headers['idempotency-key']);
    const act = acts.shift() ?? answer;
    request.resume().on('end', () => act(request, response));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.push(() => server.close().closeAllConnections());
  return { seen, keys, sockets, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

function policyWith(options: StaleConnectionOptions, more: PolicyOptions = {}) {
  const events: EbbEvent[] = [];
  const plugins = [replayOnStaleConnection(options)];
  const policy = createPolicy({ plugins, maxRetries: 0, onEvent: (event) => events.push(event), ...more });
  const last = (): Outcome | undefined => detailsOf(events.at(-1) as EbbEvent)?.outcome;
  /** Why each attempt of the last call was followed by another, and why none followed the last. */
  const reasons = (): string[] => {
    const told = events.flatMap((event) => ('reason' in event ? [[event.type, event.reason]] : []));
    const before = told.slice(0, -1).findLastIndex(([type]) => type === 'end');
    return told.slice(before + 1).map(([, reason]) => String(reason));
  };
  return { policy, events, last, reasons };
}

const caught = (sent: Promise<object>) =>
  sent.then(
    () => expect.fail('it was answered'),
    (error: unknown) => error,
  );

describe.each(Object.entries(CLIENTS))('%s', (name, make) => {
  test.each([
    ['closed', close],
    ['reset', reset],
  ])('a request that may be repeated goes once more if a kept-alive connection is %s', async (_, act) => {
    const { policy, events } = policyWith({});
    const { url, seen } = await serve(answer, act);
    const send = make(policy);
    await send(url, 'GET');
    events.length = 0;
    await send(url, 'GET');
    expect(seen).toHaveLength(3);
    expect(events).toMatchObject([
      { type: 'attempt' },
      { type: 'retry', reason: 'stale-connection', delayMs: 0, outcome: { kind: 'network' } },
      { type: 'attempt' },
      { type: 'end', reason: 'success' },
    ]);
    expect(detailsOf(events[1] as EbbEvent)?.outcome).toMatchObject({ connection: 'reused' });
  });

  test('a POST that was written is lost', async () => {
    const { policy, last, reasons } = policyWith({});
    const { url, seen } = await serve(answer, close);
    const send = make(policy);
    await send(url, 'POST', 'x');
    await caught(send(url, 'POST', 'x'));
    expect([seen.length, reasons()]).toEqual([2, ['not-idempotent']]);
    expect(last()).toMatchObject({ type: 'failure', kind: 'network', connection: 'reused' });
  });

  test('a POST that was written goes once more if the option says so, and no more than once', async () => {
    const { policy, reasons } = policyWith({ evenIfWritten: true }, { maxRetries: 5 });
    const { url, seen } = await serve(answer, close, answer, close, close, answer);
    const send = make(policy);
    await send(url, 'POST', 'x');
    await send(url, 'POST', 'x');
    expect(reasons()).toEqual(['stale-connection', 'success']);
    const error = await caught(send(url, 'POST', 'x'));
    expect([seen.length, reasons()]).toEqual([5, ['stale-connection', 'not-idempotent']]);
    // The error of undici's fetch has the history on its cause.
    const history = [error, Object(error).cause].flatMap(attemptsOf);
    expect(history.map(({ reason }) => reason)).toEqual(reasons());
  });

  test('a POST that the policy may repeat goes once more, with the same key', async () => {
    const { policy, reasons } = policyWith({}, { idempotencyKey: () => 'k1' });
    const { url, keys } = await serve(answer, close);
    const send = make(policy);
    await send(url, 'POST', 'x');
    await send(url, 'POST', 'x');
    expect(reasons()).toEqual(['stale-connection', 'success']);
    expect(keys).toEqual(['k1', 'k1', 'k1']);
  });

  test('a request on a new connection is lost', async () => {
    const { policy, last, reasons } = policyWith({ evenIfWritten: true });
    const { url } = await serve(close);
    await caught(make(policy)(url, 'GET'));
    expect(reasons()).toEqual(['retries-exhausted']);
    expect(last()).toMatchObject({ connection: 'new' });
  });

  test('a request whose answer had begun is lost', async () => {
    const { policy, reasons } = policyWith({ evenIfWritten: true });
    const { url, seen } = await serve(answer, half);
    const send = make(policy);
    await send(url, 'GET');
    await caught(send(url, 'GET'));
    expect([seen.length, reasons()]).toEqual([2, [expect.stringMatching(/^(retries-exhausted|final)$/)]]);
  });

  test.skipIf(name.includes('fetch'))('a POST of which nothing was written goes once more', async () => {
    const { policy, reasons } = policyWith({});
    const { url, seen, sockets } = await serve();
    const send = make(policy);
    await send(url, 'POST', 'x');
    let made = 0;
    await send(url, 'POST', async function* () {
      made += 1;
      if (made === 1) {
        // The connection is closed while the request waits for the first bytes of its body.
        for (const socket of sockets) socket.destroy();
        await new Promise(() => undefined);
      }
      yield 'x';
    });
    expect([seen.length, reasons()]).toEqual([2, ['stale-connection', 'success']]);
  });
});

test('axios: a URL with a user, a password and a fragment, which are not sent in it', async () => {
  const { policy, reasons } = policyWith({});
  const { url, seen } = await serve(answer, close);
  const send = (CLIENTS.axios as (typeof CLIENTS)[string])(policy);
  const whole = `${url.replace('//', '//user:secret@')}items?page=2#top`;
  await send(whole, 'GET');
  await send(whole, 'GET');
  expect([seen.length, reasons()]).toEqual([3, ['stale-connection', 'success']]);
});
