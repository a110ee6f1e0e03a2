// One row of layers in a process of its own: `node rows.ts ROW OTHERS`. It prints what the row found, as JSON.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import {
  concurrencyLimit,
  constant,
  createPolicy,
  inspectBody,
  type Limit,
  type Permit,
  type Plugin,
  type Policy,
  retry,
  tokenBucket,
} from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { costFromResponse } from '@ebb/providers';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request, fetch as undiciFetch } from 'undici';

const status = { now: 503 };
let hits = 0;
const server = createServer((_, response) => {
  hits += 1;
  response.writeHead(status.now).end('{}');
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const three = { maxRetries: 2, backoff: constant(0) };
const read = async (response: Response): Promise<number> => {
  await response.text();
  return response.status;
};
/** Clients that have nothing to do with the row. */
const others: unknown[] = [];
function addOthers(count: number): void {
  for (let at = 0; at < count; at += 1) {
    if (at % 3 === 0) others.push(createFetch(three));
    else if (at % 3 === 1) others.push(ebbAxios(three));
    else others.push(new Agent().compose(ebbUndici(three)));
  }
}
const failing = (call: () => Promise<unknown>): Promise<unknown> => call().catch(() => undefined);

const thrower = async (response: Response): Promise<void> => {
  await response.text();
  if (!response.ok) throw new Error('no');
};

const senders: Readonly<Record<string, (policy: Policy) => Promise<unknown>>> = {
  fetch: async (policy) => read(await createFetch(policy)(url)),
  axios: async (policy) => {
    const client = axios.create();
    client.interceptors.request.use(ebbAxios(policy));
    return client.get(url);
  },
  undici: async (policy) => {
    const response = await request(url, { dispatcher: new Agent().compose(ebbUndici(policy)) });
    return response.body.text();
  },
  retry: (policy) => retry(async () => thrower(await fetch(url)), policy),
};

/** Each returns what it sees beside the requests that the server got. */
export const ROWS: Readonly<Record<string, () => Promise<unknown>>> = {
  ...Object.fromEntries(
    Object.entries(senders).map(([client, send]) => [
      `every hook of a plugin, and every verb of a limit, over ${client}`,
      async () => {
        const called = new Set<string>();
        let waits = 0;
        const seen = <T>(verb: string, result: T): T => {
          called.add(verb);
          return result;
        };
        const plugin: Plugin = {
          name: 'own',
          started: () => seen('plugin started', undefined),
          beforeAttempt: () => seen('beforeAttempt', undefined),
          publicHeaders: () => seen('publicHeaders', undefined),
          wrapAttempt: (go) => seen('wrapAttempt', go()),
          inspect: { judge: () => seen('judge', undefined) },
          onEvent: () => seen('onEvent', undefined),
          ended: () => seen('plugin ended', undefined),
        };
        const permit = (): Permit => ({
          cancel: () => seen('cancel', undefined),
          lapse: () => seen('lapse', undefined),
          settle: () => {
            if (hits === 1) status.now = 200;
            seen('settle', undefined);
          },
          release: () => seen('release', undefined),
        });
        const own: Limit = {
          name: 'own',
          started: () => seen('started', undefined),
          take() {
            called.add('take');
            waits += 1;
            if (waits === 1) return { skip: true, delayMs: 0 };
            return waits === 2 ? { acquire: async () => seen('acquire', permit()) } : permit();
          },
          planRetry: () => seen('planRetry', permit()),
          ended: () => seen('ended', undefined),
        };
        const policy = createPolicy({
          backoff: constant(1),
          plugins: [plugin],
          limits: [own],
          trustedOrigins: () => true,
        });
        await send(policy);
        return [...called].sort();
      },
    ]),
  ),
  'fetch alone': async () => read(await createFetch(three)(url)),
  'fetch over fetch': async () => read(await createFetch(three, createFetch(three))(url)),
  'fetch over fetch, made during the call': async () => {
    let inner: typeof fetch | undefined;
    const outer = createFetch(three, async (...args) => {
      inner ??= createFetch(three) as typeof fetch;
      return inner(...args);
    });
    return read(await outer(url));
  },
  'fetch over fetch, imported during the call': async () => {
    let inner: Promise<typeof fetch> | undefined;
    const outer = createFetch(three, async (...args) => {
      inner ??= import('@ebb/fetch').then((module) => module.createFetch(three) as typeof fetch);
      return (await inner)(...args);
    });
    return read(await outer(url));
  },
  'fetch over fetch, after twenty calls without': async () => {
    const inner = createFetch(three) as typeof fetch;
    let calls = 0;
    const outer = createFetch(three, async (...args) => {
      calls += 1;
      return calls > 20 ? inner(...args) : new Response();
    });
    for (let call = 0; call < 20; call += 1) await outer(url);
    return read(await outer(url));
  },
  'fetch over a dispatcher': async () => {
    const dispatcher = new Agent().compose(ebbUndici(three));
    return read(await createFetch(three, undiciFetch as never)(url, { dispatcher } as never));
  },
  'axios over a fetch made during the call': async () => {
    let inner: typeof fetch | undefined;
    const client = axios.create({
      adapter: 'fetch',
      env: {
        fetch: async (...args: Parameters<typeof fetch>) => {
          inner ??= createFetch(three) as typeof fetch;
          return inner(...args);
        },
      },
    } as never);
    client.interceptors.request.use(ebbAxios(three));
    return failing(() => client.get(url));
  },
  'dispatcher over dispatcher': async () => {
    const dispatcher = new Agent().compose(ebbUndici(three), ebbUndici(three));
    const response = await request(url, { dispatcher });
    return (await response.body.text()) && response.statusCode;
  },
  'retry of a fetch': async () =>
    failing(() => retry(async () => thrower(await createFetch(three)(url)), three)),
  'three retries over three slots of the same limit': async () => {
    status.now = 200;
    const policy = createPolicy({ ...three, concurrency: concurrencyLimit({ maxConcurrent: 3 }) });
    const client = createFetch(policy);
    const one = () => retry(async () => read(await client(url)), policy);
    return Promise.all([one(), one(), one()]);
  },
  'a retry within a retry over one slot': async () => {
    const policy = createPolicy({ ...three, concurrency: concurrencyLimit({ maxConcurrent: 1 }) });
    return retry(() => retry(() => 'done', policy), policy);
  },
  'three failing retries over five slots': async () => {
    const policy = createPolicy({ ...three, concurrency: concurrencyLimit({ maxConcurrent: 5 }) });
    const client = createFetch(policy);
    return failing(() => retry(async () => thrower(await client(url)), policy));
  },
  'a good retry pays once': async () => {
    status.now = 200;
    const bucket = tokenBucket({ capacity: 10, refillPerSecond: 1e-6 });
    const policy = createPolicy({ ...three, bucket, concurrency: concurrencyLimit({ maxConcurrent: 5 }) });
    const client = createFetch(policy);
    await retry(async () => thrower(await client(url)), policy);
    return Math.round(bucket.stats().tokens);
  },
  'a base fetch that calls the same client over one slot': async () => {
    status.now = 200;
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const client = createFetch({ ...three, concurrency }, async (input, init) => {
      if (!String(input).endsWith('/inner')) await read(await client(`${url}inner`));
      return fetch(input as string, init);
    });
    return read(await client(url));
  },
  'inspect that calls the same client over one slot': async () => {
    status.now = 200;
    const policy = createPolicy({
      ...three,
      concurrency: concurrencyLimit({ maxConcurrent: 1 }),
      inspect: inspectBody(async ({ request: { url: asked } }) => {
        if (!asked.endsWith('/inner')) await read(await client(`${url}inner`));
        return undefined;
      }),
    });
    const client = createFetch(policy);
    const begunMs = performance.now();
    const found = await read(await client(url));
    return [found, performance.now() - begunMs < 500];
  },
  'actualCost that calls the same client over one slot': async () => {
    status.now = 200;
    const policy = createPolicy({
      ...three,
      concurrency: concurrencyLimit({ maxConcurrent: 1 }),
      bucket: tokenBucket({ capacity: 100, refillPerSecond: 1e3 }),
      actualCost: costFromResponse(async (response) => {
        if (!response.request.url.endsWith('/inner')) await read(await client(`${url}inner`));
        return 1;
      }),
    });
    const client = createFetch(policy);
    const begunMs = performance.now();
    const found = await read(await client(url));
    // What the answer has cost is asked for in passing.
    while (hits < 2 && performance.now() - begunMs < 500) await new Promise(setImmediate);
    return [found, performance.now() - begunMs < 500];
  },
  'twelve calls over three slots, each with a token that its hook asks for': async () => {
    status.now = 200;
    const client = createFetch({
      ...three,
      concurrency: concurrencyLimit({ maxConcurrent: 3 }),
      beforeAttempt: async ({ request: { url: asked } }) => {
        if (!asked.endsWith('/token')) await read(await client(`${url}token`));
        return undefined;
      },
    });
    return Promise.all(Array.from({ length: 12 }, async () => read(await client(url))));
  },
};

const [, , name, count] = process.argv;
const row = name === undefined ? undefined : ROWS[name];
if (row !== undefined) {
  addOthers(Number(count));
  const late = setTimeout(() => {
    console.log(JSON.stringify({ hits, found: 'does not settle' }));
    process.exit();
  }, 3_000);
  const found = await row();
  clearTimeout(late);
  console.log(JSON.stringify({ hits, found }));
  process.exit();
} else {
  server.close();
  if (name !== undefined) throw new Error(`there is no row "${name}"`);
}
