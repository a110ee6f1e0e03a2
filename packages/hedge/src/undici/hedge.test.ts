import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  attemptsOf,
  concurrencyLimit,
  createPolicy,
  type EbbEvent,
  type PolicyOptions,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { ebbInterceptor } from '@ebb/undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { versions } from '../../../undici/test/clients.ts';
import { type Answer, type Upstream, upstream } from '../../../undici/test/upstream.ts';
import { hedged } from '../undici.ts';

/** Lets each response of a server wait until the test, or another request, has it go. */
function gates() {
  const opened = new Map<number, () => void>();
  const gate = (number: number): Promise<void> =>
    new Promise((resolve) => {
      const before = opened.get(number);
      opened.set(number, resolve);
      if (before) resolve();
    });
  const open = (number: number): void => {
    opened.get(number)?.();
    opened.set(number, () => undefined);
  };
  return { gate, open };
}

/** Answers with the number of the try once the gate of it is open. */
function gated({ gate }: ReturnType<typeof gates>): Answer {
  return async (response, _, number) => {
    await gate(number);
    response.end(`try ${number}`);
  };
}

async function closed(response: ServerResponse): Promise<void> {
  if (!response.closed) await once(response, 'close');
}

describe.each(Object.entries(versions))('%s', (_, { Agent, request, fetch }) => {
  const clock = virtualClock();
  /** The delay is over when the server has got the first try. */
  const due = (): Promise<void> => clock.advance(10);

  function client(server: Upstream, options: PolicyOptions = {}, more: object = {}) {
    const events: EbbEvent[] = [];
    const policy = createPolicy({
      maxRetries: 0,
      clock,
      onEvent: (event) => void events.push(event),
      ...options,
    });
    const agent = new Agent();
    onTestFinished(() => agent.close());
    const dispatcher = agent.compose(
      hedged({ policy, delayMs: 10, ...more }) as never,
      ebbInterceptor(policy) as never,
    );
    const get = async (init: object = {}) => {
      const { statusCode, body, context } = await request(server.url, { dispatcher, ...init });
      return { statusCode, text: await body.text(), context: context as object };
    };
    return { get, dispatcher, events, policy };
  }

  async function serving(answer: Answer): Promise<Upstream> {
    const server = await upstream((response, seen, number) => {
      answer(response, seen, number);
      void due();
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    return server;
  }

  test('the hedge wins, and the connection of the first try is closed', async () => {
    const doors = gates();
    let first: Promise<void> | undefined;
    const server = await serving(async (response, seen, number) => {
      if (number === 0) first = closed(response);
      else doors.open(1);
      await gated(doors)(response, seen, number);
    });
    const { get, events } = client(server);
    const { text, context } = await get();
    expect(text).toBe('try 1');
    await first;
    expect(events.map(({ type }) => type)).toEqual(['attempt', 'hedge', 'end']);
    expect(attemptsOf(context)).toMatchObject([
      { attempt: 1, status: 200, reason: 'success', hedges: [{ won: true, outcome: { status: 200 } }] },
    ]);
  });

  test('the first try wins, and the hedge is closed', async () => {
    const doors = gates();
    let second: Promise<void> | undefined;
    const server = await serving(async (response, seen, number) => {
      if (number === 1) {
        second = closed(response);
        doors.open(0);
      }
      await gated(doors)(response, seen, number);
    });
    const { get, events } = client(server);
    expect((await get()).text).toBe('try 0');
    await second;
    expect(events.find(({ type }) => type === 'hedge')).toMatchObject({ won: false, outcome: undefined });
  });

  test('an abort ends both with its own reason', async () => {
    const doors = gates();
    const abort = new AbortController();
    const reason = new Error('enough');
    const ends: Promise<void>[] = [];
    const server = await serving(async (response, seen, number) => {
      ends.push(closed(response));
      if (number === 1) abort.abort(reason);
      await gated(doors)(response, seen, number);
    });
    const { get } = client(server);
    await expect(get({ signal: abort.signal })).rejects.toBe(reason);
    await Promise.all(ends);
    expect(ends.length).toBe(2);
  });

  test('undici.fetch gets the response of the hedge with its body', async () => {
    const doors = gates();
    const server = await serving(async (response, seen, number) => {
      if (number === 1) doors.open(1);
      await gated(doors)(response, seen, number);
    });
    const { dispatcher } = client(server);
    const response = await fetch(server.url, { dispatcher } as never);
    expect(await response.text()).toBe('try 1');
  });

  test('tokens, slots and the budget: what a retry takes, and all of it at once', async () => {
    const doors = gates();
    const bucket = tokenBucket({ refillPerSecond: 0.001, capacity: 10, clock });
    const concurrency = concurrencyLimit({ maxConcurrent: 10, clock });
    const budget = retryBudget({ reserve: 2, ratio: 0, clock });
    const inUse: number[] = [];
    const server = await serving(async (response, seen, number) => {
      inUse.push(concurrency.stats().inUse);
      if (number % 2 === 1) doors.open(number);
      await gated(doors)(response, seen, number);
    });
    const { get } = client(server, { bucket, concurrency, budget });
    await get();
    // The time that the last request has let pass is over.
    await due();
    await get();
    expect(inUse).toEqual([1, 2, 1, 2]);
    expect(Math.floor(bucket.stats().tokens)).toBe(6);
    expect([concurrency.stats().inUse, budget.balance]).toEqual([0, 0]);
    // The budget has none left.
    doors.open(4);
    await get();
    expect(server.seen.length).toBe(5);
  });

  test.each<[string, object, object, number]>([
    ['a GET', {}, {}, 2],
    ['a POST', { method: 'POST', body: 'x' }, {}, 1],
    ['a POST if all are', { method: 'POST', body: 'x' }, { methods: 'all' }, 2],
    ['bytes if all are', { method: 'POST', body: Buffer.from('x') }, { methods: 'all' }, 2],
    [
      'a generator if all are',
      {
        method: 'POST',
        body: (async function* () {
          yield 'x';
        })(),
      },
      { methods: 'all' },
      1,
    ],
  ])('%s', async (_name, init, more, sends) => {
    const doors = gates();
    const server = await serving(async (response, seen, number) => {
      if (number === sends - 1) setTimeout(() => doors.open(number), 30);
      await gated(doors)(response, seen, number);
    });
    expect((await client(server, {}, more).get(init)).text).toBe(`try ${sends - 1}`);
    expect(server.seen.map(({ body }) => String(body))).toEqual(
      Array(sends).fill('method' in init ? 'x' : ''),
    );
  });

  test('a header function is called at the send of the hedge as well, and plain values stay', async () => {
    const doors = gates();
    const server = await serving(async (response, seen, number) => {
      if (number === 1) doors.open(1);
      await gated(doors)(response, seen, number);
    });
    let made = 0;
    const beforeAttempt = () => ({ 'x-plain': `${++made}`, 'x-nonce': () => `${++made}` });
    await client(server, { beforeAttempt, trustedOrigins: () => true }).get();
    expect(server.seen.map(({ headers }) => [headers['x-plain'], headers['x-nonce']])).toEqual([
      ['1', '2'],
      ['1', '3'],
    ]);
  });

  test('events come in the async context of the request', async () => {
    const doors = gates();
    const storage = new AsyncLocalStorage<string>();
    const seenIn: (string | undefined)[] = [];
    const server = await serving(async (response, seen, number) => {
      if (number % 2 === 1) doors.open(number);
      await gated(doors)(response, seen, number);
    });
    const onEvent = (): void => void seenIn.push(storage.getStore());
    const { get } = client(server, { onEvent });
    for (const name of ['one', 'two']) await storage.run(name, () => get());
    expect(seenIn).toEqual(['one', 'one', 'one', 'two', 'two', 'two']);
  });

  test('another origin gets the path, the headers, and what the hook says for it', async () => {
    const doors = gates();
    const far = await serving((response, { path, headers }) =>
      response.end(`${path} ${headers['x-own']} ${headers['x-for']}`),
    );
    const near = await serving(gated(doors));
    const { dispatcher } = client(
      near,
      {
        trustedOrigins: [near.url, far.url].map((url) => new URL(url).origin),
        beforeAttempt: ({ request: { url } }) => ({ 'x-for': url.startsWith(far.url) ? 'far' : 'near' }),
      },
      { to: () => far.url },
    );
    const { body } = await request(`${near.url}a?b=c`, { dispatcher, headers: { 'x-own': '1' } });
    expect(await body.text()).toBe('/a?b=c 1 far');
  });
});

describe('wrong options', () => {
  const policy = createPolicy();
  const { Agent, request } = Object.values(versions)[0] as (typeof versions)[keyof typeof versions];

  test('are named by the function', () => {
    expect(() => hedged({} as never)).toThrow(/^hedged: policy must be/);
  });

  test('one below another', async () => {
    const one = hedged({ policy }) as never;
    expect(() => new Agent().compose(one, one)).toThrow(/does not hedge already/);
    const dispatcher = new Agent().compose(one).compose(one);
    await expect(request('http://127.0.0.1:9/', { dispatcher })).rejects.toThrow(/does not hedge already/);
  });

  test.each<[string, PolicyOptions]>([
    ['with nothing to do', {}],
    ['with a timeout of its own', { attemptTimeoutMs: 1_000 }],
    ['that waits', { bucket: tokenBucket({ capacity: 1, refillPerSecond: 100, initialTokens: 0 }) }],
  ])('one below another with a client of ebb between, %s', async (_, between) => {
    const one = hedged({ policy }) as never;
    const server = await upstream((response) => response.end('below'));
    onTestFinished(() => server[Symbol.asyncDispose]());
    const agent = new Agent();
    onTestFinished(() => agent.close());
    const below = agent.compose(one, ebbInterceptor(between) as never);
    const error = await request(server.url, { dispatcher: below.compose(one) }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ message: expect.stringContaining('does not hedge already') });
    expect(server.seen.length).toBe(0);
    // The one below may still be used alone.
    const { body } = await request(server.url, { dispatcher: below });
    expect(await body.text()).toBe('below');
  });
});
