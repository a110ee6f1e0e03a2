// Sends uploads that fail before they are sent, and prints what became of each call. An error that no one listens to ends the process.
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import {
  type ConcurrencyLimit,
  concurrencyLimit,
  type MemoryBucket,
  type PolicyOptions,
  tokenBucket,
} from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { createFetch } from '@ebb/fetch';
import { hedged } from '@ebb/hedge/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request, fetch as undiciFetch } from 'undici';

/** A policy whose limits tell their state. */
type Limited = PolicyOptions & { readonly bucket?: MemoryBucket; readonly concurrency?: ConcurrencyLimit };

type Send = (url: string, body: never, policy: PolicyOptions, signal: AbortSignal) => Promise<unknown>;

const dispatcher = (policy: PolicyOptions) => new Agent().compose(ebbUndici(policy));

const clients: Readonly<Record<string, Send>> = {
  fetch: (url, body, policy, signal) =>
    createFetch(policy)(url, { method: 'PUT', body, duplex: 'half', signal } as RequestInit),
  'fetch, hedged': (url, body, policy, signal) =>
    hedged(createFetch(policy), { policy: {} })(url, {
      method: 'PUT',
      body,
      duplex: 'half',
      signal,
    } as RequestInit),
  axios: (url, data, policy, signal) => {
    const client = axios.create();
    client.interceptors.request.use(ebbAxios(policy));
    return client.put(url, data, { signal });
  },
  undici: (url, body, policy, signal) =>
    request(url, { method: 'PUT', body, dispatcher: dispatcher(policy), signal }),
  'fetch of undici': (url, body, policy, signal) =>
    undiciFetch(url, { method: 'PUT', body, duplex: 'half', dispatcher: dispatcher(policy), signal }),
};

const bucket = () => tokenBucket({ refillPerSecond: 0.001, capacity: 1, initialTokens: 0 });
const never = (): Promise<never> => new Promise(() => undefined);

const waits: Readonly<Record<string, () => Limited>> = {
  'a token': () => ({ bucket: bucket() }),
  'a slot': () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    concurrency.tryAcquire();
    return { bucket: tokenBucket({ refillPerSecond: 0.001, capacity: 1 }), concurrency };
  },
  'a hook': () => ({
    bucket: tokenBucket({ refillPerSecond: 0.001, capacity: 1 }),
    beforeAttempt: never,
    trustedOrigins: () => true,
  }),
  middleware: () => ({ middleware: [never] }),
  // Not a wait: the stream is closed while its file is being opened.
  'nothing: there is no token': () => ({ bucket: bucket(), maxWaitMs: 1 }),
  'nothing: it is aborted': () => ({ bucket: bucket() }),
};

const server = createServer((_, response) => response.end());
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
let hits = 0;
server.on('request', () => {
  hits += 1;
});
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const results: Record<string, unknown> = {};
for (const [client, send] of Object.entries(clients))
  for (const [wait, make] of Object.entries(waits)) {
    if (wait === 'middleware' && client.includes('undici')) continue;
    const policy = make();
    const held = policy.concurrency?.stats().inUse;
    const caller = new AbortController();
    const body = createReadStream('/missing/file');
    const call = send(url, body as never, policy, caller.signal).catch((error: unknown) => error);
    if (wait === 'nothing: it is aborted') {
      // Before the file system answers, and after axios has called its adapter.
      for (let turn = 0; turn < 20; turn += 1) await undefined;
      caller.abort();
    }
    const late = new Promise((resolve) => setTimeout(resolve, 5_000, { name: 'late' }));
    const { cause, code, name } = (await Promise.race([call, late])) as Error & {
      code: string;
      cause?: { code: string };
    };
    // The error of a stream that was closed before it was open comes after that: how many turns later, the file system says.
    const endMs = performance.now() + 5_000;
    for (let turn = 0; turn < 20 || (!body.destroyed && performance.now() < endMs); turn += 1)
      await nextTurn();
    results[`${client}: ${wait}`] = {
      error: cause?.code ?? code ?? name,
      isClosed: body.destroyed,
      isFree:
        policy.concurrency?.stats().inUse === held &&
        !policy.concurrency?.stats().waiting &&
        !policy.bucket?.stats().waiting,
    };
  }
console.log(JSON.stringify({ hits, results }));
process.exit();
