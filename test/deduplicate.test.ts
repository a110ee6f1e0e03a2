import { ebbInterceptor } from '@ebb/axios';
import { deduplicate as deduplicateAxios } from '@ebb/axios/deduplicate';
import {
  attemptsOf,
  concurrencyLimit,
  constant,
  createPolicy,
  type EbbEvent,
  type Middleware,
  NotSentError,
  type PolicyOptions,
  retry,
  tokenBucket,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch, type EbbRequestInit } from '@ebb/fetch';
import { deduplicate } from '@ebb/fetch/deduplicate';
import axios, { type AxiosError } from 'axios';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { turns, until } from './until.ts';

const URL_A = 'https://a.test/items';

/** A request that has reached the service. */
interface Received {
  readonly url: string;
  readonly user: string | null;
  readonly signal: AbortSignal;
  readonly respond: (status?: number, body?: string) => void;
  readonly fail: (error: unknown) => void;
}

/** A service that responds when a test says so. */
function service() {
  const received: Received[] = [];
  const base = (input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
    const { url, signal, headers } = new Request(input, init);
    const user = headers.get('x-user');
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      const respond = (status = 200, body = `response ${received.length}`): void =>
        resolve(new Response(body, { status, headers: { 'x-number': `${received.length}` } }));
      received.push({ url, user, signal, respond, fail: reject });
    });
  };
  return { received, base };
}

/** What a caller got. */
interface Got {
  readonly status: number;
  readonly text: string;
  readonly result: object;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  readonly ebb?: PolicyOptions;
}

type Send = (url: string, sent?: Sent) => Promise<Got>;

interface Client {
  readonly deduplicate: typeof deduplicate;
  readonly make: (options: PolicyOptions, base: ReturnType<typeof service>['base']) => Send;
  /** A result of the client's own. */
  readonly hit: (text: string) => unknown;
}

const CLIENTS: Readonly<Record<string, Client>> = {
  fetch: {
    deduplicate,
    make(options, base) {
      const client = createFetch(options, base);
      return async (url, sent) => {
        const result = await client(url, sent as RequestInit);
        return { status: result.status, text: await result.text(), result };
      };
    },
    hit: (text) => new Response(text),
  },
  axios: {
    deduplicate: deduplicateAxios,
    make(options, base) {
      const client = axios.create({ adapter: 'fetch', env: { fetch: base }, responseType: 'text' });
      client.interceptors.request.use(ebbInterceptor(options));
      return async (url, { body, ...sent } = {}) => {
        const result = await client.request<string>({ url, data: body, ...(sent as object) });
        return { status: result.status, text: result.data, result };
      };
    },
    hit: (data) => ({ status: 200, statusText: 'OK', headers: {}, data, config: {} }) as object,
  },
};

describe.each(Object.entries(CLIENTS))('%s', (name, { deduplicate, make, hit }) => {
  /** A client whose policy has parts, and its service. */
  function start(middleware: readonly Middleware[], options: PolicyOptions = {}) {
    const events: EbbEvent[] = [];
    const one = service();
    const onEvent = (event: EbbEvent): void => void events.push(event);
    const policy = createPolicy({ maxRetries: 0, middleware, onEvent, ...options });
    const ends = () => events.flatMap((event) => (event.type === 'end' ? [event.reason] : []));
    return { ...one, events, ends, send: make(policy, one.base) };
  }

  describe('middleware that answers', () => {
    test('takes no token and no slot, and makes no attempt', async () => {
      const bucket = tokenBucket({ capacity: 1, refillPerSecond: 1e-6 });
      const concurrency = concurrencyLimit({ maxConcurrent: 1 });
      const beforeAttempt = (): never => {
        throw new Error('asked');
      };
      const { send, received, events, ends } = start([() => hit('kept')], {
        ...{ bucket, concurrency, beforeAttempt },
      });
      const got = [await send(URL_A), await send(URL_A), await send(URL_A, { method: 'POST', body: 'x' })];
      expect(got.map(({ text }) => text)).toEqual(['kept', 'kept', 'kept']);
      expect(got.map(({ result }) => attemptsOf(result))).toEqual([[], [], []]);
      expect(bucket.stats()).toMatchObject({ tokens: 1 });
      expect(received).toEqual([]);
      expect(ends()).toEqual(['short-circuited', 'short-circuited', 'short-circuited']);
      expect(events).toHaveLength(3);
      expect(events[0]).toMatchObject({ attempt: 0, outcome: undefined });
    });

    test('is one that `answering` makes: its place takes no other', () => {
      expect(() => createPolicy({ middleware: [{}] as never })).toThrow('middleware[0] must be a function');
    });

    test('that returns nothing lets the call go on, also if it has sent it', async () => {
      const seen: unknown[] = [];
      const { send, received, ends } = start([
        () => undefined,
        async (_, go) => {
          seen.push(await go());
          return undefined;
        },
      ]);
      const got = send(URL_A);
      await until(() => received.length === 1);
      received[0]?.respond();
      expect(await got).toMatchObject({ status: 200, text: 'response 1' });
      expect(received).toHaveLength(1);
      expect(seen).toHaveLength(1);
      expect(ends()).toEqual(['success']);
    });

    test('is asked in the order of the list, the first around the others', async () => {
      const asked: string[] = [];
      const named =
        (name: string): Middleware =>
        async ({ request }, go) => {
          asked.push(`${name} ${request.method} ${request.url}`);
          const result = await go();
          asked.push(`${name} ends`);
          return result;
        };
      const { send } = start([deduplicate(), named('one'), named('two'), () => hit('kept')]);
      expect((await send(URL_A)).text).toBe('kept');
      expect(asked).toEqual([`one GET ${URL_A}`, `two GET ${URL_A}`, 'two ends', 'one ends']);
    });

    test('falls back after the attempts, whose history stays', async () => {
      const fallback: Middleware = (_, go) => go().catch(() => hit('fallback'));
      const { send, received, ends } = start([fallback]);
      const got = send(URL_A);
      await until(() => received.length === 1);
      received[0]?.fail(new TypeError('fetch failed'));
      const { text, result } = await got;
      expect(text).toBe('fallback');
      expect(attemptsOf(result)).toMatchObject([{ attempt: 1, reason: 'retries-exhausted' }]);
      expect(ends()).toEqual(['retries-exhausted']);
    });

    test('fails the call with what it throws, and with its own error if nothing was sent', async () => {
      const refused = new NotSentError('Not sent: closed');
      const { send, received, ends, events } = start([
        () => {
          throw refused;
        },
      ]);
      await expect(send(URL_A)).rejects.toBe(refused);
      expect(received).toEqual([]);
      expect(ends()).toEqual(['short-circuited']);
      expect(events[0]).toMatchObject({ error: { name: 'NotSentError' } });
    });

    test('is ended by the abort of the caller, and what it returns later is discarded', async () => {
      const abort = new AbortController();
      let answer: (result: unknown) => void = () => undefined;
      let signal: AbortSignal | undefined;
      const slow: Middleware = (call) => {
        signal = call.signal;
        return new Promise((resolve) => {
          answer = resolve;
        });
      };
      const { send, ends } = start([slow]);
      const got = send(URL_A, { signal: abort.signal }).catch((error: Error) => error);
      await turns(2);
      abort.abort();
      expect(signal?.aborted).toBe(true);
      expect((await got) as Error).toMatchObject({ name: name === 'axios' ? 'CanceledError' : 'AbortError' });
      expect(ends()).toEqual(['aborted']);
      let cancelled = false;
      const body = new ReadableStream({
        cancel() {
          cancelled = true;
        },
      });
      answer(name === 'axios' ? { ...(hit('') as object), data: body } : new Response(body));
      await until(() => cancelled);
    });

    test('cannot replace the error of an abort', async () => {
      const abort = new AbortController();
      const stale: Middleware = (_, go) => go().catch(() => hit('stale'));
      const { send, received } = start([stale]);
      const got = send(URL_A, { signal: abort.signal });
      await until(() => received.length === 1);
      abort.abort();
      await expect(got).rejects.toMatchObject({ name: name === 'axios' ? 'CanceledError' : 'AbortError' });
    });

    const [canceled, timeout] =
      name === 'axios' ? ['CanceledError', 'AxiosError'] : ['AbortError', 'TimeoutError'];
    test.each([
      ['abort', [], ['aborted'], name === 'axios' ? 'AbortError' : canceled],
      ['total timeout', [], ['deadline-exceeded'], timeout],
      ['answer', [], ['short-circuited'], 'Error'],
      ['answer, within other middleware', [() => hit('kept')], ['short-circuited'], undefined],
    ])('sends nothing after the end of its call: %s', async (how, outer, reasons, rejection) => {
      const gate = Promise.withResolvers<unknown>();
      const abort = new AbortController();
      const clock = virtualClock();
      let late: Promise<unknown> | undefined;
      const own: Middleware = (_, go) => {
        late = gate.promise.then(go).catch((error: Error) => error);
        return how === 'answer' ? hit('kept') : late;
      };
      const undecided: Middleware = () => gate.promise;
      const client = start([...outer, own, undecided], { clock, totalTimeoutMs: 100, maxRetries: 1 });
      const { send, received, events, ends } = client;
      const got = send(URL_A, { method: 'POST', body: 'x', signal: abort.signal }).catch((error) => error);
      await turns(2);
      if (how === 'abort') abort.abort();
      else if (how === 'total timeout') await clock.advance(100);
      const result = (await got) as Error & Partial<Got>;
      expect(result.text ?? result.name).toBe(
        how.startsWith('answer') ? 'kept' : how === 'abort' ? canceled : timeout,
      );
      const told = events.length;
      gate.resolve(undefined);
      if (rejection) expect(((await late) as Error).name).toBe(rejection);
      await turns(5);
      await clock.advance(10_000);
      expect([received.length, events.length, ends()]).toEqual([0, told, reasons]);
    });

    test('is ended by the total timeout until it sends, and may fall back after that', async () => {
      const clock = virtualClock();
      const options = { clock, totalTimeoutMs: 100 };
      const never = start([() => new Promise(() => undefined)], options);
      const timedOut = { name: name === 'axios' ? 'AxiosError' : 'TimeoutError' };
      await expect(clock.runUntilSettled(never.send(URL_A))).rejects.toMatchObject(timedOut);
      expect(never.ends()).toEqual(['deadline-exceeded']);
      const stale: Middleware = (_, go) => go().catch(() => hit('stale'));
      const slow = start([stale], options);
      expect((await clock.runUntilSettled(slow.send(URL_A))).text).toBe('stale');
      expect(slow.ends()).toEqual(['deadline-exceeded']);
      expect(clock.pending).toBe(0);
    });
  });

  describe('deduplicate', () => {
    test('headers that the first caller changes are not those of the retry', async () => {
      const { send, received } = start([deduplicate()], { maxRetries: 1, backoff: constant(0) });
      const headers: Record<string, string> = { 'x-user': 'one' };
      const all = [send(URL_A, { headers }), send(URL_A, { headers: { 'x-user': 'one' } })];
      headers['x-user'] = 'two';
      await until(() => received.length === 1);
      received[0]?.respond(503);
      await until(() => received.length === 2);
      received[1]?.respond();
      expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200]);
      expect(received.map(({ user }) => user)).toEqual(['one', 'one']);
    });

    test('middleware that asks for it after the end of the call does not send, and leaves the next caller alone', async () => {
      const gate = Promise.withResolvers<void>();
      let late: Promise<unknown> | undefined;
      let calls = 0;
      const first: Middleware = (_, go) => {
        calls += 1;
        if (calls > 1) return go();
        late = gate.promise.then(go).catch((error: Error) => error);
        return hit('kept');
      };
      const { send, received } = start([first, deduplicate()]);
      expect((await send(URL_A)).text).toBe('kept');
      gate.resolve();
      const next = send(URL_A);
      expect(await late).toBeInstanceOf(Error);
      await until(() => received.length > 0);
      received[0]?.respond(200, 'sent');
      expect((await next).text).toBe('sent');
      expect(received).toHaveLength(1);
    });

    test('sends equal requests once, and each gets a response of its own', async () => {
      const { send, received, ends } = start([deduplicate()]);
      const all = [1, 2, 3].map(() => send(URL_A));
      await until(() => received.length > 0);
      await turns(3);
      received[0]?.respond(200, 'shared');
      const got = await Promise.all(all);
      expect(received).toHaveLength(1);
      expect(got.map(({ text }) => text)).toEqual(['shared', 'shared', 'shared']);
      expect(new Set(got.map(({ result }) => result)).size).toBe(3);
      expect(new Set(got.map(({ result }) => (result as Response).headers)).size).toBe(3);
      expect(got.map(({ result }) => attemptsOf(result).length)).toEqual([1, 0, 0]);
      expect(ends().sort()).toEqual(['short-circuited', 'short-circuited', 'success']);
    });

    test('sends again once the response is there', async () => {
      const { send, received } = start([deduplicate()]);
      for (const count of [1, 2]) {
        const got = send(URL_A);
        await until(() => received.length === count);
        received[count - 1]?.respond();
        expect((await got).text).toBe(`response ${count}`);
      }
    });

    test('takes one token and one slot, and joins a request that waits for its retry', async () => {
      const clock = virtualClock();
      const bucket = tokenBucket({ capacity: 3, refillPerSecond: 1e-6, clock });
      const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
      const options = { maxRetries: 1, backoff: constant(1_000), clock, bucket, concurrency };
      const { send, received } = start([deduplicate()], options);
      const first = send(URL_A);
      await until(() => received.length === 1);
      received[0]?.respond(503);
      await until(() => clock.pending > 0);
      const second = send(URL_A);
      await turns(2);
      await clock.advance(1_000);
      await until(() => received.length === 2);
      received[1]?.respond(200, 'up');
      expect((await Promise.all([first, second])).map(({ text }) => text)).toEqual(['up', 'up']);
      expect(bucket.stats().tokens).toBeCloseTo(1);
      await until(() => concurrency.stats().inUse === 0);
    });

    const DIFFERENT: Readonly<Record<string, readonly [string, Sent]>> = {
      'another URL': [`${URL_A}?page=2`, {}],
      'another method': [URL_A, { method: 'HEAD' }],
      authorization: [URL_A, { headers: { Authorization: 'Bearer b' } }],
      'a cookie': [URL_A, { headers: { cookie: 'a=1' } }],
      'any header': [URL_A, { headers: { 'x-tenant': '1' } }],
      'an option of the client': [
        URL_A,
        (name === 'axios' ? { maxRedirects: 0 } : { redirect: 'manual' }) as object,
      ],
      'options of ebb': [URL_A, { ebb: { maxRetries: 1 } }],
    };
    test.each(Object.entries(DIFFERENT))('sends one with %s by itself', async (_, [url, sent]) => {
      const { send, received } = start([deduplicate()]);
      const all = [send(URL_A), send(url, sent), send(URL_A)];
      await until(() => received.length === 2);
      await turns(2);
      expect(received).toHaveLength(2);
      for (const { respond } of received) respond();
      await Promise.all(all);
    });

    test('never shares a request with a body, or one that is not read-only', async () => {
      const { send, received } = start([deduplicate()]);
      const posts = [1, 2].map(() => send(URL_A, { method: 'POST', body: 'x' }));
      const empty = [1, 2].map(() => send(URL_A, { method: 'DELETE' }));
      await until(() => received.length === 4);
      for (const { respond } of received) respond();
      await Promise.all([...posts, ...empty]);
    });

    test('compares headers by their names without case, and all options in any order', async () => {
      const { send, received } = start([deduplicate()]);
      const all = [
        send(URL_A, { ...{ a: 1, b: 2 }, headers: { 'X-A': '1', 'x-b': '2' } }),
        send(URL_A, { headers: { 'X-B': '2', 'x-a': '1' }, ...{ b: 2, a: 1 } }),
      ];
      await until(() => received.length === 1);
      await turns(2);
      received[0]?.respond();
      await Promise.all(all);
      expect(received).toHaveLength(1);
    });

    test('rejects all callers with the error of the send', async () => {
      const { send, received, ends } = start([deduplicate()]);
      const all = [1, 2].map(() => send(URL_A));
      await until(() => received.length === 1);
      received[0]?.fail(new TypeError('fetch failed'));
      const settled = await Promise.allSettled(all);
      expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(ends()).toEqual(['retries-exhausted', 'short-circuited']);
      // The next one is sent.
      const next = send(URL_A);
      await until(() => received.length === 2);
      received[1]?.respond();
      await next;
    });

    test('shares the refusal of a limit', async () => {
      const bucket = tokenBucket({ capacity: 1, refillPerSecond: 1e-6, nonConforming: 'reject' });
      expect(bucket.tryAcquire(1)).toBeDefined();
      const { send } = start([deduplicate()], { bucket });
      const settled = await Promise.allSettled([send(URL_A), send(URL_A)]);
      expect(settled.map((one) => (one as PromiseRejectedResult).reason?.name)).toEqual([
        'NotSentError',
        'NotSentError',
      ]);
    });

    test.each([0, 1])('an abort of caller %i leaves the other', async (at) => {
      const abort = new AbortController();
      const { send, received } = start([deduplicate()]);
      const all = [0, 1].map((one) => send(URL_A, one === at ? { signal: abort.signal } : {}));
      await until(() => received.length === 1);
      await turns(2);
      abort.abort();
      await expect(all[at]).rejects.toMatchObject({
        name: name === 'axios' ? 'CanceledError' : 'AbortError',
      });
      expect(received[0]?.signal.aborted).toBe(false);
      received[0]?.respond(200, 'whole');
      expect((await all[1 - at])?.text).toBe('whole');
      expect(received).toHaveLength(1);
    });

    test('is aborted once all callers are, and the next one is sent anew', async () => {
      const aborts = [new AbortController(), new AbortController()];
      const { send, received } = start([deduplicate()]);
      const all = aborts.map(({ signal }) => send(URL_A, { signal }).catch((error: AxiosError) => error));
      await until(() => received.length === 1);
      await turns(2);
      aborts[0]?.abort();
      expect(received[0]?.signal.aborted).toBe(false);
      aborts[1]?.abort();
      const next = send(URL_A);
      const aborted = name === 'axios' ? 'CanceledError' : 'AbortError';
      const errors = await Promise.all(all);
      expect(errors).toMatchObject([{ name: aborted }, { name: aborted }]);
      // That of the send is not the callers'.
      if (name === 'axios')
        expect((errors as AxiosError[]).map(({ config }) => config?.signal)).toEqual(
          aborts.map(({ signal }) => signal),
        );
      await until(() => received.length === 2);
      expect(received[0]?.signal.aborted).toBe(true);
      received[1]?.respond(200, 'new');
      expect((await next).text).toBe('new');
    });

    test('a caller whose time is up leaves the others', async () => {
      const clock = virtualClock();
      const { send, received } = start([deduplicate()], { clock, totalTimeoutMs: 100 });
      const late = Promise.allSettled([send(URL_A)]);
      await until(() => received.length === 1);
      await clock.advance(99);
      const other = Promise.allSettled([send(URL_A)]);
      await turns(2);
      await clock.advance(1);
      // The time of the first is that of the send.
      expect((await late)[0]?.status).toBe('rejected');
      expect((await other)[0]?.status).toBe('rejected');
      expect(received[0]?.signal.aborted).toBe(true);
      expect(clock.pending).toBe(0);
    });

    test('needs to know whom hooks add headers for', async () => {
      const beforeAttempt = () => ({ authorization: 'a' });
      const closed = start([deduplicate()], { beforeAttempt });
      await expect(closed.send(URL_A)).rejects.toThrow(
        'deduplicate: with hooks that add headers `keyOf` must',
      );
      const users = ['a', 'b', 'a'];
      const keyOf = () => users.shift() as string;
      const { send, received } = start([deduplicate({ keyOf })], { beforeAttempt });
      const all = [1, 2, 3].map(() => send(URL_A));
      await until(() => received.length === 2);
      await turns(2);
      for (const { respond } of received) respond();
      await Promise.all(all);
      expect(received).toHaveLength(2);
    });

    test('is not asked below another layer, which takes its own decisions', async () => {
      const one = service();
      const inner = createFetch({ maxRetries: 0, middleware: [() => new Response('hit')] }, one.base);
      const outer = make({ maxRetries: 0 }, inner as typeof one.base);
      const got = outer(URL_A);
      await until(() => one.received.length === 1);
      one.received[0]?.respond(200, 'sent');
      expect((await got).text).toBe('sent');
    });

    test('random requests and aborts: as many sends as there are different requests, and whole responses', async () => {
      const calls = fc.array(fc.record({ tenant: fc.integer({ min: 0, max: 2 }), aborts: fc.boolean() }), {
        minLength: 1,
        maxLength: 8,
      });
      await fc.assert(
        fc.asyncProperty(calls, async (list) => {
          const { send, received } = start([deduplicate()]);
          const all = list.map(({ tenant, aborts }) => {
            const abort = new AbortController();
            const headers = { 'x-tenant': `${tenant}` };
            const got = send(URL_A, { headers, ...(aborts && { signal: abort.signal }) });
            return { got: got.catch(({ name }: Error) => ({ text: name })), aborts, abort, tenant };
          });
          const tenants = new Set(list.map(({ tenant }) => tenant)).size;
          await until(() => received.length === tenants);
          for (const { aborts, abort } of all) if (aborts) abort.abort();
          const alive = new Set(all.flatMap(({ aborts, tenant }) => (aborts ? [] : [tenant]))).size;
          await turns(2);
          expect(received.filter(({ signal }) => !signal.aborted)).toHaveLength(alive);
          for (const { respond } of received) respond(200, 'whole');
          for (const { got, aborts } of all)
            expect((await got).text).toBe(
              aborts ? (name === 'axios' ? 'CanceledError' : 'AbortError') : 'whole',
            );
          expect(received).toHaveLength(tenants);
        }),
        { numRuns: 60 },
      );
    });
  });
});

test('fetch: a caller that aborts while it reads ends its own body', async () => {
  const abort = new AbortController();
  let controller: ReadableStreamDefaultController | undefined;
  let cancelled: unknown;
  const body = new ReadableStream({
    start(own) {
      controller = own;
    },
    cancel(reason) {
      cancelled = reason;
    },
  });
  const base = async () => new Response(body);
  const client = createFetch({ middleware: [deduplicate()] }, base);
  const [mine, other] = await Promise.all([client(URL_A, { signal: abort.signal }), client(URL_A)]);
  controller?.enqueue(new TextEncoder().encode('first '));
  const reading = mine?.text();
  await turns(2);
  abort.abort(new Error('left'));
  await expect(reading).rejects.toThrow('left');
  expect(cancelled).toBeUndefined();
  controller?.enqueue(new TextEncoder().encode('second'));
  controller?.close();
  expect(await other?.text()).toBe('first second');
});

test('fetch: bodies that no one reads are cancelled once all have aborted', async () => {
  const cancelled = Promise.withResolvers<unknown>();
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
    cancel: cancelled.resolve,
  });
  const client = createFetch({ middleware: [deduplicate()] }, async () => new Response(body));
  const aborts = [new AbortController(), new AbortController()];
  const got = await Promise.all(aborts.map(({ signal }) => client(URL_A, { signal })));
  await turns(3);
  for (const abort of aborts) abort.abort(new Error('left'));
  await cancelled.promise;
  for (const response of got) await expect(response.text()).rejects.toThrow('left');
});

test('fetch: the slot is free once all bodies have been read or cancelled', async () => {
  const concurrency = concurrencyLimit({ maxConcurrent: 1 });
  const base = async () => new Response(new Blob(['x'.repeat(200_000)]).stream());
  const client = createFetch({ middleware: [deduplicate()], concurrency }, base);
  const { signal } = new AbortController();
  const [one, other] = await Promise.all([client(URL_A), client(URL_A, { signal })]);
  expect(concurrency.stats().inUse).toBe(1);
  expect((await one?.text())?.length).toBe(200_000);
  await other?.body?.cancel();
  await until(() => concurrency.stats().inUse === 0);
});

test('fetch: the upload of a call that is answered is cancelled', async () => {
  let cancelled = false;
  const body = new ReadableStream({
    cancel() {
      cancelled = true;
    },
  });
  const client = createFetch({ middleware: [() => new Response('kept')] });
  const init = { method: 'POST', body, duplex: 'half' } as EbbRequestInit;
  expect(await (await client(URL_A, init)).text()).toBe('kept');
  await until(() => cancelled);
});

test('fetch: a response that comes when all have left is discarded', async () => {
  const abort = new AbortController();
  let cancelled = false;
  const body = new ReadableStream({
    cancel() {
      cancelled = true;
    },
  });
  const onEvent = ({ type }: EbbEvent): void => {
    if (type === 'end') abort.abort(new Error('left'));
  };
  const client = createFetch({ middleware: [deduplicate()], onEvent }, async () => new Response(body));
  await expect(client(URL_A, { signal: abort.signal })).rejects.toThrow('left');
  await until(() => cancelled);
});

test('fetch: one that has left before it is sent is not sent', async () => {
  const abort = new AbortController();
  const { received, base } = service();
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const waits: Middleware = (_, send) => gate.then(send);
  const client = createFetch({ middleware: [waits, deduplicate()] }, base);
  const got = client(URL_A, { signal: abort.signal });
  abort.abort(new Error('left'));
  await expect(got).rejects.toThrow('left');
  open();
  await turns(3);
  expect(received).toEqual([]);
});

test('fetch: a wrong signal and wrong headers are for the base fetch to refuse', async () => {
  const { base } = service();
  const client = createFetch({ middleware: [deduplicate()], maxRetries: 0 }, base);
  for (const wrong of [{ signal: {} }, { headers: { 'a b': '1' } }] as EbbRequestInit[])
    await expect(client(URL_A, wrong)).rejects.toBeInstanceOf(TypeError);
});

test('fetch: a `Request` is sent by itself, as it does not show its dispatcher', async () => {
  const { received, base } = service();
  const client = createFetch({ middleware: [deduplicate()] }, base);
  const all = [1, 2].map(() => client(new Request(URL_A)));
  await until(() => received.length === 2);
  for (const { respond } of received) respond();
  await Promise.all(all);
});

describe('a client that has no result to return', () => {
  test('a part of another client refuses as well', async () => {
    const { base } = service();
    const overFetch = createFetch({ middleware: [deduplicateAxios()] }, base);
    await expect(overFetch(URL_A)).rejects.toThrow('deduplicate of @ebb/axios: for requests of axios alone');
    const overAxios = axios.create();
    overAxios.interceptors.request.use(ebbInterceptor({ middleware: [deduplicate()] }));
    await expect(overAxios.get(URL_A)).rejects.toThrow(
      'deduplicate of @ebb/fetch: for requests of fetch alone',
    );
  });

  test('retry does not ask: a function has no URL', async () => {
    const hit = () => 'kept';
    expect(await retry(async () => 'called', { middleware: [hit] })).toBe('called');
  });
});
