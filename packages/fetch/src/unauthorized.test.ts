import {
  attemptsOf,
  constant,
  detailsOf,
  type EbbEvent,
  HookError,
  type Limit,
  type PolicyOptions,
  unauthorized,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { turns } from '../../../test/until.ts';
import { createFetch } from './create-fetch.ts';

/** A response that is held back until it is given. */
interface Held {
  readonly token: string | null;
  readonly path: string;
  respond(status: number): void;
}

type Refresh = (context: { readonly signal: AbortSignal }) => unknown;

/** Long enough for anything that needs no more than turns of the event loop. */
const settle = () => turns(20);

/** Refreshes that end by hand. */
function byHand() {
  const given: PromiseWithResolvers<unknown>[] = [];
  const signals: AbortSignal[] = [];
  const refresh: Refresh = ({ signal }) => {
    const next = Promise.withResolvers<unknown>();
    given.push(next);
    signals.push(signal);
    return next.promise;
  };
  const renew = async (at: number, authorization: string) => {
    given[at]?.resolve({ authorization });
    await settle();
  };
  const fail = async (at: number, error: Error) => {
    given[at]?.reject(error);
    await settle();
  };
  return { given, signals, refresh, renew, fail };
}

/** A client whose service responds by hand. */
function setUp(options: PolicyOptions = {}, refreshTimeoutMs?: number, own?: Refresh) {
  const hand = byHand();
  const sent: Held[] = [];
  const events: EbbEvent[] = [];
  const base = (input: RequestInfo | URL, init?: RequestInit) =>
    new Promise<Response>((resolve) => {
      sent.push({
        token: new Headers(init?.headers).get('authorization'),
        path: new URL(String(input)).pathname,
        respond: (status) => resolve(new Response(`${status}`, { status })),
      });
    });
  const refresh = (own ?? hand.refresh) as never;
  const fetch = createFetch(
    {
      plugins: [unauthorized({ refresh, refreshTimeoutMs })],
      trustedOrigins: ['http://upstream.test'],
      backoff: constant(0),
      onEvent: (event) => events.push(event),
      ...options,
    },
    base,
  );
  /** The statuses of these calls, which have begun. */
  const begin = async (paths: readonly string[], init?: RequestInit) => {
    const calls = paths.map((path) => fetch(`http://upstream.test/${path}`, init));
    const statuses = calls.map((call) => call.then(({ status }) => status));
    for (const status of statuses) status.catch(() => undefined);
    await settle();
    return statuses;
  };
  const respond = async (at: number, status: number) => {
    sent[at]?.respond(status);
    await settle();
  };
  const shown = (from = 0) => sent.slice(from).map(({ path, token }) => [path, token]);
  const ends = () => events.filter(({ type }) => type === 'end');
  return { ...hand, sent, events, ends, begin, respond, shown, fetch };
}

const ERROR = new Error('no token');

test('one refresh is for all requests in flight, also for one whose 401 comes after its end', async () => {
  const { given, renew, sent, begin, respond, shown } = setUp();
  const results = await begin(['a', 'b', 'late']);
  await respond(0, 401);
  await respond(1, 401);
  const during = await begin(['during']);
  expect([sent.length, given.length]).toEqual([3, 1]);
  await renew(0, 'new');
  await respond(2, 401);
  expect(shown(3)).toEqual([
    ['/during', 'new'],
    ['/a', 'new'],
    ['/b', 'new'],
    ['/late', 'new'],
  ]);
  for (const held of sent.slice(3)) held.respond(200);
  expect(await Promise.all([...results, ...during])).toEqual([200, 200, 200, 200]);
  expect(given.length).toBe(1);
});

test('a refresh that fails is for all requests that were sent before its end, and the next request tries again', async () => {
  const { given, renew, fail, sent, begin, respond, shown, ends } = setUp();
  const results = await begin(['a', 'b', 'late']);
  await respond(0, 401);
  await respond(1, 401);
  const [during] = await begin(['during']);
  expect([sent.length, given.length]).toEqual([3, 1]);
  await fail(0, ERROR);
  await respond(2, 401);
  expect(await Promise.all(results)).toEqual([401, 401, 401]);
  expect(ends().map((end) => end.type === 'end' && end.reason)).toEqual(['final', 'final', 'final']);
  expect(ends().map((end) => detailsOf(end)?.error)).toEqual([ERROR, ERROR, ERROR]);
  // The requests that waited for the refresh are sent with the credentials before it.
  expect(shown(3)).toEqual([['/during', null]]);
  await respond(3, 401);
  await renew(1, 'new');
  expect(shown(4)).toEqual([['/during', 'new']]);
  await respond(4, 200);
  expect(await during).toBe(200);
  expect(ends().at(-1)).not.toHaveProperty('error');
});

test('a refresh that fails leaves the headers of the one before', async () => {
  const { renew, fail, begin, respond, shown } = setUp();
  const [first] = await begin(['first']);
  await respond(0, 401);
  await renew(0, 'first');
  await respond(1, 200);
  const [second] = await begin(['second']);
  await respond(2, 401);
  await fail(1, ERROR);
  const [third] = await begin(['third']);
  await respond(3, 200);
  expect(await Promise.all([first, second, third])).toEqual([200, 401, 200]);
  expect(shown().map(([, token]) => token)).toEqual([null, 'first', 'first', 'first']);
});

test('a refresh that returns something else than headers fails those that wait for it, and no one else', async () => {
  const { given, begin, respond, shown } = setUp();
  const [a, b, late] = await begin(['a', 'b', 'late']);
  await respond(0, 401);
  await respond(1, 401);
  const [during] = await begin(['during']);
  given[0]?.resolve('new');
  for (const call of [a, b]) await expect(call).rejects.toMatchObject({ name: 'HookError', hook: 'refresh' });
  await settle();
  await respond(2, 401);
  expect(await late).toBe(401);
  expect(shown(3)).toEqual([['/during', null]]);
  await respond(3, 200);
  expect(await during).toBe(200);
});

describe('a refresh that hangs', () => {
  test('ends the waits of its calls by their own timeouts, and is still the one for all', async () => {
    const clock = virtualClock();
    const options = { clock, attemptTimeoutMs: 100, maxRetries: 0 };
    const { given, signals, renew, sent, begin, respond, shown } = setUp(options);
    const calls = await begin(['a', 'b', 'c', 'd']);
    for (const held of sent.splice(0)) held.respond(401);
    await settle();
    await clock.advance(100);
    for (const call of calls) await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
    // To forget it now would start another one beside it, and so use a token of it twice.
    const [next] = await begin(['next']);
    await clock.advance(100);
    await expect(next).rejects.toMatchObject({ name: 'TimeoutError' });
    expect([sent.length, given.length, signals[0]?.aborted]).toEqual([0, 1, false]);
    const [last] = await begin(['last']);
    await renew(0, 'new');
    expect(shown()).toEqual([['/last', 'new']]);
    await respond(0, 200);
    expect(await last).toBe(200);
    expect(clock.pending).toBe(0);
  });

  test('is not ended by the abort of the call that has begun it', async () => {
    const { signals, renew, begin, respond, shown } = setUp();
    const caller = new AbortController();
    const { signal } = caller;
    const [first] = await begin(['first'], { signal });
    const [second] = await begin(['second']);
    await respond(0, 401);
    await respond(1, 401);
    const [during] = await begin(['during'], { signal });
    caller.abort(ERROR);
    for (const call of [first, during]) await expect(call).rejects.toBe(ERROR);
    expect(signals[0]?.aborted).toBe(false);
    await renew(0, 'new');
    expect(shown(2)).toEqual([['/second', 'new']]);
    await respond(2, 200);
    expect(await second).toBe(200);
  });

  test.each([
    ['30 seconds', undefined, 30_000],
    ['refreshTimeoutMs', 200, 200],
  ])('fails after %s, and the next 401 begins another', async (_, refreshTimeoutMs, timeoutMs) => {
    const clock = virtualClock();
    const all = setUp({ clock }, refreshTimeoutMs);
    const { given, signals, renew, sent, begin, respond, shown, ends } = all;
    const [first] = await begin(['first']);
    await respond(0, 401);
    const [during] = await begin(['during']);
    await clock.advance(timeoutMs - 1);
    expect([sent.length, signals[0]?.aborted]).toEqual([1, false]);
    await clock.advance(1);
    expect(await first).toBe(401);
    const [error] = ends().map((end) => detailsOf(end)?.error);
    expect(error).toMatchObject({
      name: 'TimeoutError',
      message: `refresh did not end within ${timeoutMs} ms. Does it wait for the client that it refreshes?`,
    });
    expect(signals[0]?.reason).toBe(error);
    await settle();
    await respond(1, 401);
    // Its result would take the place of a newer one.
    given[0]?.resolve({ authorization: 'late' });
    await renew(1, 'new');
    expect(shown(2)).toEqual([['/during', 'new']]);
    await respond(2, 200);
    expect(await during).toBe(200);
    expect([given.length, clock.pending]).toEqual([2, 0]);
  });

  test('ends with the stop of the policy, and its result is for no one', async () => {
    const stop = new AbortController();
    const { given, signals, renew, sent, begin, respond } = setUp({ stopSignal: stop.signal });
    const [first, second] = await begin(['a', 'b']);
    await respond(0, 401);
    stop.abort();
    expect(await first).toBe(401);
    await renew(0, 'new');
    await respond(1, 401);
    expect(await second).toBe(401);
    expect([given.length, sent.length, signals[0]?.aborted]).toEqual([1, 2, false]);
  });

  test('after a stop a 401 begins none', async () => {
    const stop = new AbortController();
    const { given, begin, respond } = setUp({ stopSignal: stop.signal });
    const [call] = await begin(['']);
    stop.abort();
    await respond(0, 401);
    expect([await call, given.length]).toEqual([401, 0]);
  });
});

describe('a server that always says 401', () => {
  function always(status: (token: string | null, path: string) => number) {
    const clock = virtualClock();
    let refreshes = 0;
    const refresh = async () => ({ authorization: `token ${++refreshes}` });
    const base = async (input: RequestInfo | URL, init?: RequestInit) =>
      new Response(null, {
        status: status(new Headers(init?.headers).get('authorization'), new URL(String(input)).pathname),
      });
    const options = { clock, plugins: [unauthorized({ refresh })], trustedOrigins: ['http://upstream.test'] };
    const fetch = createFetch(options, base);
    const get = async (path = '') => (await fetch(`http://upstream.test/${path}`)).status;
    return { clock, get, refreshes: () => refreshes };
  }

  test('after fresh credentials were refused no refresh begins for ten seconds', async () => {
    const { clock, get, refreshes } = always(() => 401);
    for (let call = 0; call < 100; call += 1) expect(await get()).toBe(401);
    expect(refreshes()).toBe(1);
    await clock.advance(9_999);
    await get();
    expect(refreshes()).toBe(1);
    await clock.advance(1);
    await Promise.all([get(), get()]);
    expect(refreshes()).toBe(2);
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
    const clock = virtualClock();
    const { given, renew, fail, begin, respond } = setUp({ clock });
    const [first, second] = await begin(['first', 'second']);
    await respond(0, 401);
    await renew(0, 'token 1');
    const [third] = await begin(['third']);
    // Meanwhile they have expired: another call has them refreshed.
    await respond(3, 401);
    await renew(1, 'token 2');
    await respond(2, 401);
    expect(await first).toBe(401);
    await respond(4, 200);
    expect(await third).toBe(200);
    await respond(1, 200);
    expect(await second).toBe(200);
    const [last] = await begin(['last']);
    await respond(5, 401);
    expect(given.length).toBe(3);
    await fail(2, ERROR);
    expect(await last).toBe(401);
  });

  test('a refusal after a refresh that has failed does not count', async () => {
    const clock = virtualClock();
    const { given, renew, fail, begin, respond } = setUp({ clock, backoff: constant(100) });
    const [first] = await begin(['first']);
    await respond(0, 401);
    await renew(0, 'token 1');
    await respond(1, 503);
    const [second] = await begin(['second']);
    await respond(2, 401);
    await fail(1, ERROR);
    expect(await second).toBe(401);
    await clock.advance(100);
    await settle();
    await respond(3, 401);
    expect(await first).toBe(401);
    const [third] = await begin(['third']);
    await respond(4, 401);
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

  function own(send: (client: typeof fetch) => Promise<Response>) {
    const events: EbbEvent[] = [];
    const clock = virtualClock();
    let refreshes = 0;
    const base = async (_: RequestInfo | URL, init?: RequestInit) => {
      const token = new Headers(init?.headers).get('authorization');
      return new Response('new', { status: token === 'new' ? 200 : 401 });
    };
    const refresh = async () => {
      refreshes += 1;
      return { authorization: await (await send(client)).text() };
    };
    const client = createFetch(
      {
        clock,
        plugins: [unauthorized({ refresh })],
        trustedOrigins: ['http://upstream.test'],
        onEvent: (event) => events.push(event),
      },
      base,
    );
    return { client, clock, events, refreshes: () => refreshes };
  }

  const isWeb = process.env.EBB_PLATFORM === 'web';
  const token = 'http://upstream.test/token';
  const later = async (client: typeof fetch) => {
    await turns(1);
    return client(token);
  };

  test.each<[how: string, send: (client: typeof fetch) => Promise<Response>]>([
    ['at once', (client) => client(token)],
    ['below another client', (client) => createFetch({}, client)(token)],
    // In browsers nothing tells who has made a call that begins later.
    ...(isWeb ? [] : [['a turn later', later] as [string, typeof later]]),
  ])('fails, and says so: %s', async (_, send) => {
    const { client, refreshes } = own(send);
    await expect(client('http://upstream.test/')).rejects.toThrow(FAULT);
    await expect(client('http://upstream.test/')).rejects.toMatchObject({ hook: 'refresh' });
    expect(refreshes()).toBe(2);
  });

  test.runIf(isWeb)(
    'in browsers one that sends later ends with its timeout, which asks for that',
    async () => {
      const { client, clock, events } = own(later);
      const call = client('http://upstream.test/');
      await settle();
      await clock.advance(30_000);
      expect((await call).status).toBe(401);
      const end = events.find(({ type }) => type === 'end');
      expect(end && detailsOf(end)?.error).toMatchObject({
        message: expect.stringContaining('Does it wait for the client that it refreshes?'),
      });
    },
  );

  test('fails those that wait for it as well', async () => {
    const { client, refreshes } = own((same) => same('http://upstream.test/token'));
    const calls = await Promise.allSettled([1, 2].map(() => client('http://upstream.test/')));
    expect(calls.map((call) => call.status === 'rejected' && call.reason.message.startsWith(FAULT))).toEqual([
      true,
      true,
    ]);
    expect(refreshes()).toBe(1);
  });

  test('may catch that, and get its token elsewhere', async () => {
    const { client } = own((same) =>
      same('http://upstream.test/token').catch(() => new Response('new', { status: 200 })),
    );
    expect((await client('http://upstream.test/')).status).toBe(200);
  });

  test.runIf(!isWeb)(
    'also through another client that refreshes through it: neither waits for ever',
    async () => {
      const { client, refreshes } = own(async (same) => {
        const refresh = async () => ({
          authorization: await (await same('http://upstream.test/token')).text(),
        });
        const options = { plugins: [unauthorized({ refresh })], trustedOrigins: ['http://upstream.test'] };
        const base = async () => new Response('old', { status: 401 });
        const response = await createFetch(options, base)('http://upstream.test/token');
        if (!response.ok) throw new Error(await response.text());
        return response;
      });
      await expect(client('http://upstream.test/')).rejects.toThrow(FAULT);
      expect(refreshes()).toBe(1);
    },
  );

  test('may send to an origin that gets no credentials', async () => {
    const { client, refreshes } = own((same) => same('http://login.test/token'));
    expect((await client('http://upstream.test/')).status).toBe(200);
    expect(refreshes()).toBe(1);
  });

  test('what it leaves behind may send through the client later, also during another refresh', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    let later: Promise<number> | undefined;
    let accepted = 'token 1';
    let refreshes = 0;
    const base = async (_: RequestInfo | URL, init?: RequestInit) =>
      new Response(null, {
        status: new Headers(init?.headers).get('authorization') === accepted ? 200 : 401,
      });
    const refresh = async () => {
      refreshes += 1;
      const authorization = `token ${refreshes}`;
      if (refreshes === 1)
        later = begun.then(async () => (await client('http://upstream.test/later')).status);
      else {
        begin();
        await turns(5);
      }
      return { authorization };
    };
    const client = createFetch(
      { plugins: [unauthorized({ refresh })], trustedOrigins: ['http://upstream.test'] },
      base,
    );
    expect((await client('http://upstream.test/')).status).toBe(200);
    accepted = 'token 2';
    expect((await client('http://upstream.test/')).status).toBe(200);
    expect([await later, refreshes]).toEqual([200, 2]);
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
  await respond(0, 401);
  expect(await result).toBe(401);
});

const budgetThatRefuses: Limit = {
  name: 'budget',
  take: () => undefined,
  planRetry: () => 'budget-exhausted',
};

test.each<[what: string, options: PolicyOptions, statuses: readonly number[], tokens: number]>([
  ['a 401 costs no budget', { limits: [budgetThatRefuses], maxRetries: 1 }, [401, 200], 1],
  ['another origin gets no token, and asks for none', { trustedOrigins: ['http://other.test'] }, [401], 0],
  ['a 403 is no 401', {}, [403], 0],
])('%s', async (_, options, statuses, tokens) => {
  const refresh = vi.fn(() => ({ authorization: 'new' }));
  const { respond, fetch } = setUp(options, undefined, refresh);
  const result = fetch('http://upstream.test/');
  await settle();
  for (const [at, status] of statuses.entries()) await respond(at, status);
  const response = await result;
  expect(response.status).toBe(statuses.at(-1));
  expect(attemptsOf(response).map(({ status }) => status)).toEqual(statuses);
  expect(refresh).toHaveBeenCalledTimes(tokens);
});

describe('begins no refresh:', () => {
  const refresh = vi.fn(() => undefined);
  const options = { plugins: [unauthorized({ refresh })], trustedOrigins: () => true };

  test('a 401 that a redirect led to, which is no refusal of the first server', async () => {
    const base = async () =>
      Object.defineProperty(new Response(null, { status: 401 }), 'redirected', { value: true });
    expect((await createFetch(options, base)('http://upstream.test/')).status).toBe(401);
    expect(refresh).not.toHaveBeenCalled();
  });

  test('a client below another one, which leaves its 401 to that', async () => {
    const inner = createFetch(options, async () => new Response(null, { status: 401 }));
    expect((await createFetch({}, inner)('http://upstream.test/')).status).toBe(401);
    expect(refresh).not.toHaveBeenCalled();
  });
});

test('a policy without trustedOrigins is refused', () => {
  const plugins = [unauthorized({ refresh: () => undefined })];
  expect(() => createFetch({ plugins })).toThrow(
    "unauthorized: trustedOrigins must be set in its policy, such as trustedOrigins: ['https://api.example.com']",
  );
});

test.each([
  [{}, 'unauthorized: refresh must be a function'],
  [
    { refresh: () => undefined, refreshTimeoutMs: 0 },
    'unauthorized: refreshTimeoutMs must be a finite number > 0',
  ],
])('a wrong option is an error: %j', (options, message) => {
  expect(() => unauthorized(options as never)).toThrow(message);
});
