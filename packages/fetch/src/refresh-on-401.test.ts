import {
  attemptsOf,
  constant,
  detailsOf,
  type EbbEvent,
  HookError,
  type Limit,
  type PolicyOptions,
  refreshOn401,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { turns } from '../../../test/until.ts';
import { createFetch } from './create-fetch.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';
const ORIGIN = 'http://upstream.test';
const ERROR = new Error('no token');

/** A response that is held back until it is given. */
interface Held {
  readonly token: string | null;
  readonly path: string;
  respond(status: number): void;
}

type Refresh = (context: { readonly signal: AbortSignal }) => unknown;

/** Long enough for anything that needs no more than turns of the event loop. */
const settle = () => turns(20);

const tokenOf = (init?: RequestInit): string | null => new Headers(init?.headers).get('authorization');

const options = (refresh: unknown, refreshTimeoutMs?: number): PolicyOptions => ({
  plugins: [refreshOn401({ refresh: refresh as never, refreshTimeoutMs })],
  trustedOrigins: [ORIGIN],
});

/** A client whose service responds by hand, and whose refreshes end by hand. */
function setUp(more: PolicyOptions = {}, refreshTimeoutMs?: number, own?: Refresh) {
  const given: PromiseWithResolvers<unknown>[] = [];
  const signals: AbortSignal[] = [];
  const sent: Held[] = [];
  const ends: EbbEvent[] = [];
  const byHand: Refresh = ({ signal }) => {
    const next = Promise.withResolvers<unknown>();
    given.push(next);
    signals.push(signal);
    return next.promise;
  };
  const base = (input: RequestInfo | URL, init?: RequestInit) =>
    new Promise<Response>((resolve) => {
      const respond = (status: number): void => resolve(new Response(`${status}`, { status }));
      sent.push({ token: tokenOf(init), path: new URL(String(input)).pathname, respond });
    });
  const onEvent = (event: EbbEvent): void => void (event.type === 'end' && ends.push(event));
  const all = { ...options(own ?? byHand, refreshTimeoutMs), backoff: constant(0), onEvent, ...more };
  const fetch = createFetch(all, base);
  /** The statuses of these calls, which have begun. */
  const begin = async (paths: readonly string[], init?: RequestInit) => {
    const calls = paths.map((path) => fetch(`${ORIGIN}/${path}`, init));
    const statuses = calls.map((call) => call.then(({ status }) => status));
    for (const status of statuses) status.catch(() => undefined);
    await settle();
    return statuses;
  };
  /** Responds to these requests. */
  const respond = async (status: number, ...at: readonly number[]) => {
    for (const one of at) {
      sent[one]?.respond(status);
      await settle();
    }
  };
  const renew = async (at: number, authorization: string) => {
    given[at]?.resolve({ authorization });
    await settle();
  };
  const fail = async (at: number, error: Error) => {
    given[at]?.reject(error);
    await settle();
  };
  const shown = (from = 0) => sent.slice(from).map(({ path, token }) => [path, token]);
  return { given, signals, renew, fail, sent, ends, begin, respond, shown, fetch };
}

test('one refresh is for all requests in flight, also for one whose 401 comes after its end', async () => {
  const { given, renew, sent, begin, respond, shown } = setUp();
  const results = await begin(['a', 'b', 'late']);
  await respond(401, 0, 1);
  const during = await begin(['during']);
  expect([sent.length, given.length]).toEqual([3, 1]);
  await renew(0, 'new');
  await respond(401, 2);
  expect(shown(3)).toEqual(['/during', '/a', '/b', '/late'].map((path) => [path, 'new']));
  await respond(200, 3, 4, 5, 6);
  expect(await Promise.all([...results, ...during])).toEqual([200, 200, 200, 200]);
  expect(given.length).toBe(1);
});

test('a refresh that fails is for all requests that were sent before its end, and the next request tries again', async () => {
  const { given, renew, fail, sent, begin, respond, shown, ends } = setUp();
  const results = await begin(['a', 'b', 'late']);
  await respond(401, 0, 1);
  const [during] = await begin(['during']);
  expect([sent.length, given.length]).toEqual([3, 1]);
  await fail(0, ERROR);
  await respond(401, 2);
  expect(await Promise.all(results)).toEqual([401, 401, 401]);
  expect(ends).toMatchObject(Array(3).fill({ reason: 'final' }));
  expect(ends.map((end) => detailsOf(end)?.error)).toEqual([ERROR, ERROR, ERROR]);
  // The requests that waited for the refresh are sent with the credentials before it.
  expect(shown(3)).toEqual([['/during', null]]);
  await respond(401, 3);
  await renew(1, 'new');
  expect(shown(4)).toEqual([['/during', 'new']]);
  await respond(200, 4);
  expect(await during).toBe(200);
  expect(ends.at(-1)).not.toHaveProperty('error');
});

test('a refresh that fails leaves the headers of the one before', async () => {
  const { renew, fail, begin, respond, shown } = setUp();
  const [first] = await begin(['first']);
  await respond(401, 0);
  await renew(0, 'first');
  await respond(200, 1);
  const [second] = await begin(['second']);
  await respond(401, 2);
  await fail(1, ERROR);
  const [third] = await begin(['third']);
  await respond(200, 3);
  expect(await Promise.all([first, second, third])).toEqual([200, 401, 200]);
  expect(shown().map(([, token]) => token)).toEqual([null, 'first', 'first', 'first']);
});

test('a refresh that returns something else than headers fails those that wait for it, and no one else', async () => {
  const { given, begin, respond, shown } = setUp();
  const [a, b, late] = await begin(['a', 'b', 'late']);
  await respond(401, 0, 1);
  const [during] = await begin(['during']);
  given[0]?.resolve('new');
  for (const call of [a, b]) await expect(call).rejects.toMatchObject({ name: 'HookError', hook: 'refresh' });
  await settle();
  await respond(401, 2);
  expect(await late).toBe(401);
  expect(shown(3)).toEqual([['/during', null]]);
  await respond(200, 3);
  expect(await during).toBe(200);
});

describe('a refresh that hangs', () => {
  test('ends the waits of its calls by their own timeouts, and is still the one for all', async () => {
    const clock = virtualClock();
    const { given, signals, renew, sent, begin, respond, shown } = setUp({
      clock,
      attemptTimeoutMs: 100,
      maxRetries: 0,
    });
    const calls = await begin(['a', 'b']);
    await respond(401, 0, 1);
    // To forget it now would start another one beside it, and so use a token of it twice.
    for (const waiting of [calls, await begin(['next'])]) {
      await clock.advance(100);
      for (const call of waiting) await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
    }
    expect([sent.length, given.length, signals[0]?.aborted]).toEqual([2, 1, false]);
    const [last] = await begin(['last']);
    await renew(0, 'new');
    expect(shown(2)).toEqual([['/last', 'new']]);
    await respond(200, 2);
    expect([await last, clock.pending]).toEqual([200, 0]);
  });

  test('is not ended by the abort of the call that has begun it', async () => {
    const { signals, renew, begin, respond, shown } = setUp();
    const caller = new AbortController();
    const { signal } = caller;
    const [first] = await begin(['first'], { signal });
    const [second] = await begin(['second']);
    await respond(401, 0, 1);
    const [during] = await begin(['during'], { signal });
    caller.abort(ERROR);
    for (const call of [first, during]) await expect(call).rejects.toBe(ERROR);
    expect(signals[0]?.aborted).toBe(false);
    await renew(0, 'new');
    expect(shown(2)).toEqual([['/second', 'new']]);
    await respond(200, 2);
    expect(await second).toBe(200);
  });

  test.each([
    ['30 seconds', undefined, 30_000],
    ['refreshTimeoutMs', 200, 200],
  ])('fails after %s, and the next 401 begins another', async (_, refreshTimeoutMs, timeoutMs) => {
    const clock = virtualClock();
    const { given, signals, renew, sent, begin, respond, shown, ends } = setUp({ clock }, refreshTimeoutMs);
    const [first] = await begin(['first']);
    await respond(401, 0);
    const [during] = await begin(['during']);
    await clock.advance(timeoutMs - 1);
    expect([sent.length, signals[0]?.aborted]).toEqual([1, false]);
    await clock.advance(1);
    expect(await first).toBe(401);
    const error = detailsOf(ends[0] as EbbEvent)?.error;
    const message = `refresh did not end within ${timeoutMs} ms. Does it wait for the client that it refreshes?`;
    expect(error).toMatchObject({ name: 'TimeoutError', message });
    expect(signals[0]?.reason).toBe(error);
    await settle();
    await respond(401, 1);
    // Its result would take the place of a newer one.
    given[0]?.resolve({ authorization: 'late' });
    await renew(1, 'new');
    expect(shown(2)).toEqual([['/during', 'new']]);
    await respond(200, 2);
    expect(await during).toBe(200);
    expect([given.length, clock.pending]).toEqual([2, 0]);
  });

  test('ends with the stop of the policy: its result is for no one, and a 401 begins no other', async () => {
    const stop = new AbortController();
    const { given, signals, renew, sent, begin, respond } = setUp({ stopSignal: stop.signal });
    const results = await begin(['a', 'b']);
    await respond(401, 0);
    stop.abort();
    await renew(0, 'new');
    await respond(401, 1);
    expect(await Promise.all(results)).toEqual([401, 401]);
    expect([given.length, sent.length, signals[0]?.aborted]).toEqual([1, 2, false]);
  });

  test('after a stop a 401 begins none', async () => {
    const stop = new AbortController();
    const { given, begin, respond } = setUp({ stopSignal: stop.signal });
    const [call] = await begin(['']);
    stop.abort();
    await respond(401, 0);
    expect([await call, given.length]).toEqual([401, 0]);
  });
});

describe('a server that always says 401', () => {
  /** A client with `token 1`, `token 2` … */
  function always(status: (token: string | null, path: string) => number) {
    const clock = virtualClock();
    let refreshes = 0;
    const refresh = async () => ({ authorization: `token ${++refreshes}` });
    const base = async (input: RequestInfo | URL, init?: RequestInit) =>
      new Response(null, { status: status(tokenOf(init), new URL(String(input)).pathname) });
    const fetch = createFetch({ clock, ...options(refresh) }, base);
    const get = async (path = '') => (await fetch(`${ORIGIN}/${path}`)).status;
    return { clock, get, refreshes: () => refreshes };
  }

  test('after fresh credentials were refused no refresh begins for ten seconds', async () => {
    const { clock, get, refreshes } = always(() => 401);
    for (let call = 0; call < 100; call += 1) expect(await get()).toBe(401);
    await clock.advance(9_999);
    await get();
    expect(refreshes()).toBe(1);
    await clock.advance(1);
    await Promise.all([get(), get()]);
    await get();
    expect(refreshes()).toBe(2);
  });

  test('the credentials that were refused once are sent, and may be accepted later', async () => {
    let isKnown = false;
    const { get, refreshes } = always((token) => (isKnown && token === 'token 1' ? 200 : 401));
    expect(await get()).toBe(401);
    isKnown = true;
    expect([await get(), refreshes()]).toEqual([200, 1]);
  });

  test('credentials that were accepted are refreshed at once when they expire', async () => {
    let valid = 1;
    const { get, refreshes } = always((token) => (token === `token ${valid}` ? 200 : 401));
    for (valid = 1; valid <= 5; valid += 1) expect([await get(), refreshes()]).toEqual([200, valid]);
  });

  test('a refusal of older credentials does not count', async () => {
    const { given, renew, fail, begin, respond } = setUp({ clock: virtualClock() });
    const [first, second] = await begin(['first', 'second']);
    await respond(401, 0);
    await renew(0, 'token 1');
    const [third] = await begin(['third']);
    // Meanwhile they have expired: another call has them refreshed.
    await respond(401, 3);
    await renew(1, 'token 2');
    await respond(401, 2);
    await respond(200, 4, 1);
    expect(await Promise.all([first, second, third])).toEqual([401, 200, 200]);
    const [last] = await begin(['last']);
    await respond(401, 5);
    expect(given.length).toBe(3);
    await fail(2, ERROR);
    expect(await last).toBe(401);
  });

  test('a refusal after a refresh that has failed does not count', async () => {
    const clock = virtualClock();
    const { given, renew, fail, begin, respond } = setUp({ clock, backoff: constant(100) });
    const [first] = await begin(['first']);
    await respond(401, 0);
    await renew(0, 'token 1');
    await respond(503, 1);
    const [second] = await begin(['second']);
    await respond(401, 2);
    await fail(1, ERROR);
    expect(await second).toBe(401);
    await clock.advance(100);
    await settle();
    await respond(401, 3);
    expect(await first).toBe(401);
    const [third] = await begin(['third']);
    await respond(401, 4);
    expect(given.length).toBe(3);
    await fail(2, ERROR);
    expect(await third).toBe(401);
  });

  test('a second 401 long after the refresh is no refusal of fresh credentials', async () => {
    let isDown = true;
    const { clock, get, refreshes } = always((token, path) => {
      if (path === '/slow' && isDown && token !== null) return 503;
      return token === 'token 2' ? 200 : 401;
    });
    const slow = get('slow');
    await settle();
    await clock.advance(500);
    isDown = false;
    await clock.runUntilSettled(slow);
    expect(await slow).toBe(401);
    await clock.advance(10_000);
    expect([await get(), refreshes()]).toEqual([200, 2]);
  });
});

describe('a refresh that sends through its own client', () => {
  const FAULT = 'refresh failed: it sends through the client that it refreshes';
  const token = `${ORIGIN}/token`;
  type Send = (client: typeof fetch) => Promise<Response>;
  const later: Send = async (client) => {
    await turns(1);
    return client(token);
  };

  function own(send: Send) {
    const ends: EbbEvent[] = [];
    const clock = virtualClock();
    let refreshes = 0;
    const base = async (_: RequestInfo | URL, init?: RequestInit) =>
      new Response('new', { status: tokenOf(init) === 'new' ? 200 : 401 });
    const refresh = async () => {
      refreshes += 1;
      return { authorization: await (await send(client)).text() };
    };
    const onEvent = (event: EbbEvent): void => void (event.type === 'end' && ends.push(event));
    const client = createFetch({ clock, ...options(refresh), onEvent }, base);
    return { get: () => client(ORIGIN), clock, ends, refreshes: () => refreshes };
  }

  test.each<[how: string, send: Send]>([
    ['at once', (client) => client(token)],
    ['below another client', (client) => createFetch({}, client)(token)],
    // In browsers nothing tells who has made a call that begins later.
    ...(isWeb ? [] : [['a turn later', later] as [string, Send]]),
  ])('fails, also those that wait for it, and says so: %s', async (_, send) => {
    const { get, refreshes } = own(send);
    const calls = await Promise.allSettled([get(), get()]);
    for (const call of calls)
      expect(call).toMatchObject({ reason: { hook: 'refresh', message: expect.stringContaining(FAULT) } });
    expect(refreshes()).toBe(1);
    await expect(get()).rejects.toThrow(FAULT);
    expect(refreshes()).toBe(2);
  });

  test.runIf(isWeb)(
    'in browsers one that sends later ends with its timeout, which asks for that',
    async () => {
      const { get, clock, ends } = own(later);
      const call = get();
      await settle();
      await clock.advance(30_000);
      expect((await call).status).toBe(401);
      const message = expect.stringContaining('Does it wait for the client that it refreshes?');
      expect(detailsOf(ends[0] as EbbEvent)?.error).toMatchObject({ message });
    },
  );

  test.each<[what: string, send: Send]>([
    ['may catch that, and get its token elsewhere', (same) => same(token).catch(() => new Response('new'))],
    ['may send to an origin that gets no credentials', (same) => same('http://login.test/token')],
  ])('%s', async (_, send) => {
    const { get, refreshes } = own(send);
    expect([(await get()).status, refreshes()]).toEqual([200, 1]);
  });

  test.runIf(!isWeb)('also fails through another client that refreshes through it', async () => {
    const { get, refreshes } = own(async (same) => {
      const refresh = async () => ({ authorization: await (await same(token)).text() });
      const base = async () => new Response('old', { status: 401 });
      const response = await createFetch(options(refresh), base)(token);
      if (!response.ok) throw new Error(await response.text());
      return response;
    });
    await expect(get()).rejects.toThrow(FAULT);
    expect(refreshes()).toBe(1);
  });

  test('what it leaves behind may send through the client later, also during another refresh', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    let left: Promise<number> | undefined;
    let [accepted, refreshes] = ['token 1', 0];
    const base = async (_: RequestInfo | URL, init?: RequestInit) =>
      new Response(null, { status: tokenOf(init) === accepted ? 200 : 401 });
    const refresh = async () => {
      refreshes += 1;
      const authorization = `token ${refreshes}`;
      if (refreshes === 1) left = begun.then(async () => (await client(`${ORIGIN}/later`)).status);
      else {
        begin();
        await turns(5);
      }
      return { authorization };
    };
    const client = createFetch(options(refresh), base);
    expect((await client(ORIGIN)).status).toBe(200);
    accepted = 'token 2';
    expect((await client(ORIGIN)).status).toBe(200);
    expect([await left, refreshes]).toEqual([200, 2]);
  });
});

test.each([
  ['an error', ERROR],
  ['the error of a hook of another client', new HookError('classify', ERROR)],
])('a refresh that throws %s at once is one that fails', async (_, error) => {
  const { begin, respond } = setUp({}, undefined, () => {
    throw error;
  });
  const [result] = await begin(['']);
  await respond(401, 0);
  expect(await result).toBe(401);
});

const refusing: Limit = { name: 'budget', take: () => undefined, planRetry: () => 'budget-exhausted' };

test.each<[what: string, options: PolicyOptions, statuses: readonly number[], tokens: number]>([
  ['a 401 costs no budget', { limits: [refusing], maxRetries: 1 }, [401, 200], 1],
  ['another origin gets no token, and asks for none', { trustedOrigins: ['http://other.test'] }, [401], 0],
  ['a 403 is no 401', {}, [403], 0],
])('%s', async (_, more, statuses, tokens) => {
  const refresh = vi.fn(() => ({ authorization: 'new' }));
  const { respond, fetch } = setUp(more, undefined, refresh);
  const result = fetch(ORIGIN);
  await settle();
  for (const [at, status] of statuses.entries()) await respond(status, at);
  expect(attemptsOf(await result).map(({ status }) => status)).toEqual(statuses);
  expect(refresh).toHaveBeenCalledTimes(tokens);
});

const redirected = (response: Response): Response =>
  Object.defineProperty(response, 'redirected', { value: true });

test.each<[what: string, made: (response: Response) => Response, above: boolean]>([
  ['a 401 that a redirect led to, which is no refusal of the first server', redirected, false],
  ['a client below another one, which leaves its 401 to that', (response) => response, true],
])('no refresh is begun by %s', async (_, made, isBelow) => {
  const refresh = vi.fn(() => undefined);
  const own = createFetch(options(refresh), async () => made(new Response(null, { status: 401 })));
  expect((await (isBelow ? createFetch({}, own) : own)(ORIGIN)).status).toBe(401);
  expect(refresh).not.toHaveBeenCalled();
});

test.each([
  [{}, 'refreshOn401: refresh must be a function'],
  [
    { refresh: () => undefined, refreshTimeoutMs: 0 },
    'refreshOn401: refreshTimeoutMs must be a finite number > 0',
  ],
])('a wrong option is an error: %j', (given, message) => {
  expect(() => refreshOn401(given as never)).toThrow(message);
});

test('a refresh is no retry: the body of a Request is kept for it without any', async () => {
  const bodies: string[] = [];
  const base = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    bodies.push(await new Request(input, init).text());
    return new Response(null, { status: tokenOf(init) === 'new' ? 200 : 401 });
  };
  const fetch = createFetch({ ...options(() => ({ authorization: 'new' })), maxRetries: 0 }, base);
  const response = await fetch(new Request(`${ORIGIN}/`, { method: 'POST', body: 'text' }));
  expect([response.status, ...bodies]).toEqual([200, 'text', 'text']);
});
