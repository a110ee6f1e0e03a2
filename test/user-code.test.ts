import {
  attemptsOf,
  concurrencyLimit,
  constant,
  createPolicy,
  type EbbEvent,
  type NextAttempt,
  type PolicyOptions,
  retry,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import * as undici from 'undici';
import * as undici7 from 'undici7';
import { afterEach, describe, expect, test } from 'vitest';
import { axiosClient } from './axios-client.ts';
import { type Client, clients, type MakeClient } from './clients.ts';
import { webStream } from './fetch-client.ts';
import { type Step, type Upstream, upstream } from './server.ts';
import { dispatcherFetchClient } from './undici-client.ts';
import { turns } from './until.ts';

const up: Step = { status: 200, body: 'up' };
const down: Step = { status: 503, body: 'down' };
const many = (step: Step, count: number): Step[] => Array.from({ length: count }, () => step);

/** All ways to send through ebb. Those over a dispatcher's fetch take no body factory. */
const all: Record<string, MakeClient> = {
  ...clients,
  'axios over fetch': (policy) => axiosClient(policy, { adapter: 'fetch' }, webStream),
  'undici.fetch over a dispatcher': (policy) => dispatcherFetchClient(undici.fetch, undici, policy),
  'the fetch of Node over a dispatcher': (policy) =>
    dispatcherFetchClient(globalThis.fetch, undici7 as never, policy),
};
const isToken = ({ request }: NextAttempt): boolean => request.url.endsWith('/token');

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function serve(script: readonly Step[]): Promise<Upstream> {
  const server = await upstream(script);
  open.push(server);
  return server;
}

function make(makeClient: MakeClient, options: PolicyOptions): Client {
  const client = makeClient(createPolicy({ backoff: constant(0), trustedOrigins: () => true, ...options }));
  open.push(client);
  return client;
}

/** No window of 100 ms may have more than `most` of these times. */
function expectAtMost(most: number, sentAtMs: readonly number[]): void {
  for (const [at, atMs] of sentAtMs.entries()) {
    const within = sentAtMs.filter((other, index) => index >= at && other < atMs + 100);
    expect(within.length).toBeLessThanOrEqual(most);
  }
}

describe.each(Object.entries(all))('%s', (_, makeClient) => {
  test('twelve calls over three slots, each with a token that a hook asks the same client for', async () => {
    const server = await serve(many(up, 24));
    const concurrency = concurrencyLimit({ maxConcurrent: 3 });
    const client: Client = make(makeClient, {
      concurrency,
      async beforeAttempt(next) {
        if (isToken(next)) return undefined;
        const { body } = await client.send(`${server.url}token`, {});
        return { authorization: body };
      },
    });
    const got = await Promise.all(Array.from({ length: 12 }, () => client.send(server.url, {})));
    expect(got.map(({ body }) => body)).toEqual(Array(12).fill('up'));
    const others = server.seen.filter(({ path }) => !path.endsWith('/token'));
    expect(others.map(({ headers }) => headers.authorization)).toEqual(Array(12).fill('up'));
    expect(server.mostAtOnce()).toBeLessThanOrEqual(3);
    await turns(20);
    expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
  });

  test('a hook that fails takes no token, no slot and nothing of the budget', async () => {
    const server = await serve([down]);
    const clock = virtualClock();
    const bucket = tokenBucket({ capacity: 5, refillPerSecond: 1, clock });
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
    const budget = retryBudget({ reserve: 2, ratio: 0, clock });
    const beforeAttempt = async ({ attempt }: NextAttempt): Promise<undefined> => {
      if (attempt === 2) throw new Error('no token');
    };
    const client = make(makeClient, { clock, bucket, concurrency, budget, beforeAttempt });
    await expect(client.send(server.url, {})).rejects.toThrow();
    expect([bucket.stats().tokens, concurrency.stats().inUse, budget.balance]).toEqual([4, 0, 2]);
  });

  test.each<[string, PolicyOptions, reason: string]>([
    ['totalTimeoutMs', { totalTimeoutMs: 100 }, 'deadline-exceeded'],
    ['an abort of stopSignal', {}, 'stopped'],
  ])('nothing is sent after %s, which passes while a hook runs', async (what, options, reason) => {
    for (const script of [[], [down]]) {
      const server = await serve(script);
      const clock = virtualClock();
      const stop = new AbortController();
      const events: EbbEvent[] = [];
      const slow = Promise.withResolvers<undefined>();
      const client = make(makeClient, {
        clock,
        stopSignal: stop.signal,
        onEvent: (event) => void events.push(event),
        beforeAttempt: ({ attempt }) => {
          if (attempt <= script.length) return undefined;
          if (what === 'totalTimeoutMs') clock.tick(100.5);
          else stop.abort();
          return slow.promise;
        },
        ...options,
      });
      const got = client.send(server.url, {}).catch((error: Error) => error);
      if (script.length === 0) expect(await got).toBeInstanceOf(Error);
      else expect(await got).toMatchObject({ status: 503, body: 'down' });
      expect(events.at(-1)).toMatchObject({ type: 'end', reason });
      slow.resolve(undefined);
      await turns(20);
      expect(server.seen).toHaveLength(script.length);
    }
  });

  test('hooks that take a second do not save up the tokens of a bucket', async () => {
    const clock = virtualClock();
    const server = await serve(many(up, 20));
    const sentAtMs: number[] = [];
    const client = make(makeClient, {
      clock,
      bucket: tokenBucket({ capacity: 2, refillPerSecond: 10, clock }),
      beforeAttempt: async () => void (await clock.sleep(1_000)),
      onEvent: ({ type, atMs }) => {
        if (type === 'attempt') sentAtMs.push(atMs);
      },
    });
    await clock.runUntilSettled(Promise.all(Array.from({ length: 20 }, () => client.send(server.url, {}))));
    // The bucket holds two, and refills one each 100 ms.
    expectAtMost(3, sentAtMs);
    expect(sentAtMs).toHaveLength(20);
  });

  test('is asked once, and a value that is a function is made at the send, however long the queue was', async () => {
    const clock = virtualClock();
    const server = await serve(many(up, 4));
    const asked: string[] = [];
    const client = make(makeClient, {
      clock,
      bucket: tokenBucket({ capacity: 1, refillPerSecond: 1 / 8, clock }),
      beforeAttempt: async ({ request }) => {
        asked.push(request.url.slice(-1));
        return { 'x-asked-at': String(clock.now()), 'x-made-at': () => String(clock.now()) };
      },
    });
    const startMs = clock.now();
    const sent = [1, 2, 3, 4].map((id) => client.send(`${server.url}${id}`, {}));
    await clock.runUntilSettled(Promise.all(sent));
    expect(asked).toEqual(['1', '2', '3', '4']);
    expect(server.seen.map(({ path }) => path)).toEqual(['/1', '/2', '/3', '/4']);
    const atMs = (name: string) => server.seen.map(({ headers }) => Number(headers[name]) - startMs);
    expect(atMs('x-asked-at')).toEqual([0, 0, 0, 0]);
    expect(atMs('x-made-at')).toEqual([0, 8_000, 16_000, 24_000]);
  });
});

describe.each(Object.entries(clients))('a body factory, %s', (_, makeClient) => {
  const put = { method: 'PUT', factory: 'text' };

  test('asks the same client, whose only slot its own request holds', async () => {
    const server = await serve(many(up, 6));
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const client = make(makeClient, { concurrency });
    const making = async (): Promise<void> => void (await client.send(`${server.url}part`, {}));
    const sent = [1, 2, 3].map(() => client.send(server.url, { ...put, making }));
    expect((await Promise.all(sent)).map(({ body }) => body)).toEqual(['up', 'up', 'up']);
    await turns(20);
    expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
    // The part is sent with the slot of its request, which is not under way yet.
    expect(server.mostAtOnce()).toBe(1);
  });

  test('is called no more often than a bucket allows, and its request is sent when it is made', async () => {
    const clock = virtualClock();
    const server = await serve(many(up, 10));
    const madeAtMs: number[] = [];
    const client = make(makeClient, {
      clock,
      bucket: tokenBucket({ capacity: 2, refillPerSecond: 10, clock }),
    });
    const making = async (): Promise<void> => {
      madeAtMs.push(clock.now());
      await clock.sleep(1_000);
    };
    const calls = Array.from({ length: 10 }, () => client.send(server.url, { ...put, making }));
    const startMs = clock.now();
    await clock.runUntilSettled(Promise.all(calls));
    expectAtMost(3, madeAtMs);
    expect(madeAtMs).toHaveLength(10);
    expect(clock.now() - startMs).toBe(1_800);
  });

  test.each(['delay', 'reject'] as const)(
    'keeps its token in a bucket that refills slowly (nonConforming: %s)',
    async (nonConforming) => {
      const clock = virtualClock();
      const server = await serve(many(up, 2));
      const concurrency = concurrencyLimit({ maxConcurrent: 2, clock });
      const bucket = tokenBucket({ capacity: 1, refillPerSecond: 1 / 60, clock, nonConforming });
      const client = make(makeClient, { clock, concurrency, bucket });
      const startMs = clock.now();
      const slow = client.send(server.url, { ...put, making: () => clock.sleep(500) });
      // One behind it, which must not get the token.
      const behind = client.send(server.url, {}).catch((error: Error) => error);
      expect(await clock.runUntilSettled(slow)).toMatchObject({ body: 'up' });
      expect(clock.now() - startMs).toBe(500);
      await clock.runUntilSettled(behind);
      expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
    },
  );

  test.each<[string, PolicyOptions]>([
    ['totalTimeoutMs', { totalTimeoutMs: 100 }],
    ['an abort of stopSignal', {}],
  ])('is not sent after %s, which passes while it is made', async (what, options) => {
    const server = await serve([down]);
    const clock = virtualClock();
    const stop = new AbortController();
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
    const client = make(makeClient, { clock, stopSignal: stop.signal, concurrency, ...options });
    let made = 0;
    const slow = Promise.withResolvers<void>();
    const making = (): Promise<void> | undefined => {
      made += 1;
      if (made === 1) return undefined;
      if (what === 'totalTimeoutMs') clock.tick(100.5);
      else stop.abort();
      return slow.promise;
    };
    expect(await client.send(server.url, { ...put, making })).toEqual({ status: 503, body: 'down' });
    slow.resolve();
    await turns(20);
    expect([server.seen.length, concurrency.stats().inUse]).toEqual([1, 0]);
  });
});

describe.each(Object.entries(all))('retry around %s', (_, makeClient) => {
  test('with one policy: one slot is enough, and attempts do not multiply', async () => {
    const clock = virtualClock();
    const server = await serve(many(down, 40));
    const concurrency = concurrencyLimit({ maxConcurrent: 2, clock });
    const bucket = tokenBucket({ capacity: 100, refillPerSecond: 1, clock });
    const policy = createPolicy({ backoff: constant(0), maxRetries: 2, concurrency, bucket, clock });
    const client = makeClient(policy);
    open.push(client);
    const call = (): Promise<unknown> =>
      retry(async () => {
        const { status } = await client.send(server.url, {});
        if (status === 503) throw new Error('down');
      }, policy);
    const ended = await Promise.allSettled(Array.from({ length: 6 }, call));
    expect(ended.map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
    expect(server.seen).toHaveLength(6 * 3);
    // One token for each request that was sent: the function has paid for the first.
    expect(bucket.stats().tokens).toBe(100 - 6 * 3);
    expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
  });

  test('repeats the function after a request that was sent once', async () => {
    const server = await serve([down, up]);
    const client = make(makeClient, {});
    const got = await retry(
      async () => {
        const answer = await client.send(server.url, { ebb: { maxRetries: 0 } });
        if (answer.status === 503) throw new Error('down');
        return answer;
      },
      { backoff: constant(0) },
    );
    expect(got.body).toBe('up');
  });
});

test('retry within retry: the inner one repeats the function', async () => {
  let calls = 0;
  const policy = createPolicy({
    backoff: constant(0),
    maxRetries: 2,
    concurrency: concurrencyLimit({ maxConcurrent: 1 }),
  });
  const error = new Error('no');
  const fails = (): Promise<never> => {
    calls += 1;
    return Promise.reject(error);
  };
  await expect(retry(() => retry(fails, policy), policy)).rejects.toBe(error);
  expect(calls).toBe(3);
  expect(attemptsOf(error)).toHaveLength(3);
});
