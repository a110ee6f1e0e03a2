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
import { describe, expect, test } from 'vitest';
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

/** A client with this `refresh`, whose service responds by hand. */
function setUp(refresh: Refresh, options: PolicyOptions = {}, refreshTimeoutMs?: number) {
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
  const fetch = createFetch(
    {
      plugins: [unauthorized({ refresh: refresh as never, refreshTimeoutMs })],
      trustedOrigins: ['http://upstream.test'],
      backoff: constant(0),
      onEvent: (event) => events.push(event),
      ...options,
    },
    base,
  );
  const get = (path: string, init?: RequestInit) =>
    fetch(`http://upstream.test/${path}`, init).then(({ status }) => status);
  return { sent, events, get, fetch };
}

/** A refresh that ends by hand. */
function byHand() {
  const given: PromiseWithResolvers<unknown>[] = [];
  const signals: AbortSignal[] = [];
  const refresh: Refresh = ({ signal }) => {
    const next = Promise.withResolvers<unknown>();
    given.push(next);
    signals.push(signal);
    return next.promise;
  };
  return { given, signals, refresh };
}

test('one refresh is for all requests in flight, also for one whose 401 comes after its end', async () => {
  const { given, refresh } = byHand();
  const { sent, get } = setUp(refresh);
  const results = ['a', 'b', 'late'].map((path) => get(path));
  await settle();
  sent[0]?.respond(401);
  sent[1]?.respond(401);
  await settle();
  const during = get('during');
  await settle();
  expect([sent.length, given.length]).toEqual([3, 1]);
  given[0]?.resolve({ authorization: 'new' });
  await settle();
  sent[2]?.respond(401);
  await settle();
  expect(sent.slice(3).map(({ path, token }) => [path, token])).toEqual([
    ['/during', 'new'],
    ['/a', 'new'],
    ['/b', 'new'],
    ['/late', 'new'],
  ]);
  for (const held of sent.slice(3)) held.respond(200);
  expect(await Promise.all([...results, during])).toEqual([200, 200, 200, 200]);
  expect(given.length).toBe(1);
});

test('a refresh that fails is for all requests that were sent before its end, and the next request tries again', async () => {
  const { given, refresh } = byHand();
  const { sent, get, events } = setUp(refresh);
  const results = ['a', 'late'].map((path) => get(path));
  await settle();
  sent[0]?.respond(401);
  await settle();
  const during = get('during');
  const error = new Error('no token');
  given[0]?.reject(error);
  await settle();
  sent[1]?.respond(401);
  expect(await Promise.all(results)).toEqual([401, 401]);
  const ends = events.filter(({ type }) => type === 'end');
  expect(ends.map((end) => [end.type === 'end' && end.reason, detailsOf(end)?.error])).toEqual([
    ['final', error],
    ['final', error],
  ]);
  sent[2]?.respond(401);
  await settle();
  given[1]?.resolve({ authorization: 'new' });
  await settle();
  expect(sent[3]).toMatchObject({ path: '/during', token: 'new' });
  sent[3]?.respond(200);
  expect(await during).toBe(200);
  expect(events.at(-1)).not.toHaveProperty('error');
});

test('a refresh that fails leaves the headers of the one before', async () => {
  let refreshes = 0;
  const { sent, get } = setUp(async () => {
    refreshes += 1;
    if (refreshes > 1) throw new Error('no token');
    return { authorization: 'first' };
  });
  const plays = [
    [401, 200],
    [401, undefined],
    [200, undefined],
  ];
  const statuses: number[] = [];
  for (const [first, second] of plays) {
    const at = sent.length;
    const result = get('');
    await settle();
    sent[at]?.respond(first as number);
    await settle();
    sent[at + 1]?.respond(second as number);
    statuses.push(await result);
  }
  expect(statuses).toEqual([200, 401, 200]);
  expect(sent.map(({ token }) => token)).toEqual([null, 'first', 'first', 'first']);
});

test('a refresh that fails is for all that wait for it, and those that it held up are sent with what was there', async () => {
  const { given, refresh } = byHand();
  const { sent, get, events } = setUp(refresh);
  const waiting = ['a', 'b'].map((path) => get(path));
  await settle();
  for (const held of sent) held.respond(401);
  await settle();
  const during = get('during');
  await settle();
  expect([sent.length, given.length]).toEqual([2, 1]);
  const error = new Error('no token');
  given[0]?.reject(error);
  expect(await Promise.all(waiting)).toEqual([401, 401]);
  await settle();
  expect(sent.map(({ path, token }) => [path, token])).toEqual([
    ['/a', null],
    ['/b', null],
    ['/during', null],
  ]);
  sent[2]?.respond(200);
  expect(await during).toBe(200);
  const ends = events.filter(({ type }) => type === 'end');
  expect(ends.map((end) => detailsOf(end)?.error)).toEqual([error, error, undefined]);
});

test('a refresh that returns something else than headers fails those that wait for it, and no one else', async () => {
  const { given, refresh } = byHand();
  const { sent, get } = setUp(refresh);
  const [a, b, late] = ['a', 'b', 'late'].map((path) => get(path).catch((thrown: unknown) => thrown));
  await settle();
  sent[0]?.respond(401);
  sent[1]?.respond(401);
  await settle();
  const during = get('during');
  given[0]?.resolve('new');
  for (const call of [a, b]) expect(await call).toMatchObject({ name: 'HookError', hook: 'refresh' });
  await settle();
  sent[2]?.respond(401);
  expect(await late).toBe(401);
  expect(sent[3]).toMatchObject({ path: '/during', token: null });
  sent[3]?.respond(200);
  expect(await during).toBe(200);
});

describe('a refresh that hangs', () => {
  test('ends the waits of its calls by their own timeouts, and is still the one for all', async () => {
    const clock = virtualClock();
    const { given, signals, refresh } = byHand();
    const { sent, get } = setUp(refresh, { clock, attemptTimeoutMs: 100, maxRetries: 0 });
    const calls = ['a', 'b', 'c', 'd'].map((path) => get(path).catch(({ name }: Error) => name));
    await settle();
    for (const held of sent.splice(0)) held.respond(401);
    await settle();
    await clock.advance(100);
    expect(await Promise.all(calls)).toEqual(Array(4).fill('TimeoutError'));
    // To forget it now would start another one beside it, and so use a token of it twice.
    const next = get('next').catch(({ name }: Error) => name);
    await settle();
    await clock.advance(100);
    expect(await next).toBe('TimeoutError');
    expect([sent.length, given.length, signals[0]?.aborted]).toEqual([0, 1, false]);
    const last = get('last');
    await settle();
    given[0]?.resolve({ authorization: 'new' });
    await settle();
    expect(sent[0]).toMatchObject({ path: '/last', token: 'new' });
    sent[0]?.respond(200);
    expect(await last).toBe(200);
    expect(clock.pending).toBe(0);
  });

  test('is not ended by the abort of the call that has begun it', async () => {
    const { given, signals, refresh } = byHand();
    const { sent, get } = setUp(refresh);
    const caller = new AbortController();
    const first = get('first', { signal: caller.signal }).catch((thrown: unknown) => thrown);
    const second = get('second');
    await settle();
    sent[0]?.respond(401);
    sent[1]?.respond(401);
    await settle();
    const during = get('during', { signal: caller.signal }).catch((thrown: unknown) => thrown);
    await settle();
    const reason = new Error('enough');
    caller.abort(reason);
    expect(await Promise.all([first, during])).toEqual([reason, reason]);
    expect(signals[0]?.aborted).toBe(false);
    given[0]?.resolve({ authorization: 'new' });
    await settle();
    expect(sent.slice(2)).toMatchObject([{ path: '/second', token: 'new' }]);
    sent[2]?.respond(200);
    expect(await second).toBe(200);
  });

  test.each([
    ['30 seconds', undefined, 30_000],
    ['refreshTimeoutMs', 200, 200],
  ])('fails after %s, and the next 401 begins another', async (_, refreshTimeoutMs, timeoutMs) => {
    const clock = virtualClock();
    const { given, signals, refresh } = byHand();
    const { sent, get, events } = setUp(refresh, { clock }, refreshTimeoutMs);
    const first = get('first');
    await settle();
    sent[0]?.respond(401);
    await settle();
    const during = get('during');
    await clock.advance(timeoutMs - 1);
    expect([sent.length, signals[0]?.aborted]).toEqual([1, false]);
    await clock.advance(1);
    expect(await first).toBe(401);
    const end = events.find(({ type }) => type === 'end');
    const error = end && detailsOf(end)?.error;
    expect(error).toMatchObject({
      name: 'TimeoutError',
      message: `refresh did not end within ${timeoutMs} ms. Does it wait for the client that it refreshes?`,
    });
    expect(signals[0]?.reason).toBe(error);
    await settle();
    sent[1]?.respond(401);
    await settle();
    // Its result would take the place of a newer one.
    given[0]?.resolve({ authorization: 'late' });
    given[1]?.resolve({ authorization: 'new' });
    await settle();
    expect(sent[2]).toMatchObject({ path: '/during', token: 'new' });
    sent[2]?.respond(200);
    expect(await during).toBe(200);
    expect([given.length, clock.pending]).toEqual([2, 0]);
  });

  test('ends with the stop of the policy, and after a stop none begins', async () => {
    const stop = new AbortController();
    const { given, signals, refresh } = byHand();
    const { sent, get } = setUp(refresh, { stopSignal: stop.signal });
    const calls = ['a', 'b'].map((path) => get(path));
    await settle();
    sent[0]?.respond(401);
    await settle();
    stop.abort();
    expect(await calls[0]).toBe(401);
    given[0]?.resolve({ authorization: 'new' });
    await settle();
    sent[1]?.respond(401);
    expect(await calls[1]).toBe(401);
    expect([given.length, sent.length, signals[0]?.aborted]).toEqual([1, 2, false]);
  });

  test('after a stop a 401 begins none', async () => {
    const stop = new AbortController();
    const { given, refresh } = byHand();
    const { sent, get } = setUp(refresh, { stopSignal: stop.signal });
    const call = get('');
    await settle();
    stop.abort();
    sent[0]?.respond(401);
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
    const { given, refresh } = byHand();
    const { sent, get } = setUp(refresh, { clock });
    const [first, second] = [get('first'), get('second')];
    await settle();
    sent[0]?.respond(401);
    await settle();
    given[0]?.resolve({ authorization: 'token 1' });
    await settle();
    const third = get('third');
    await settle();
    // Meanwhile they have expired: another call has them refreshed.
    sent[3]?.respond(401);
    await settle();
    given[1]?.resolve({ authorization: 'token 2' });
    await settle();
    sent[2]?.respond(401);
    expect(await first).toBe(401);
    sent[4]?.respond(200);
    expect(await third).toBe(200);
    sent[1]?.respond(200);
    expect(await second).toBe(200);
    const last = get('last');
    await settle();
    sent[5]?.respond(401);
    await settle();
    expect(given.length).toBe(3);
    given[2]?.reject(new Error('no token'));
    expect(await last).toBe(401);
  });

  test('a refusal after a refresh that has failed does not count', async () => {
    const clock = virtualClock();
    const { given, refresh } = byHand();
    const { sent, get } = setUp(refresh, { clock, backoff: constant(100) });
    const first = get('first');
    await settle();
    sent[0]?.respond(401);
    await settle();
    given[0]?.resolve({ authorization: 'token 1' });
    await settle();
    sent[1]?.respond(503);
    const second = get('second');
    await settle();
    sent[2]?.respond(401);
    await settle();
    given[1]?.reject(new Error('no token'));
    expect(await second).toBe(401);
    await clock.advance(100);
    await settle();
    sent[3]?.respond(401);
    expect(await first).toBe(401);
    const third = get('third');
    await settle();
    sent[4]?.respond(401);
    await settle();
    expect(given.length).toBe(3);
    given[2]?.reject(new Error('no token'));
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
  ['an error', new Error('no token')],
  ['the error of a hook of another client', new HookError('classify', new Error('no token'))],
])('a refresh that throws %s at once is one that fails', async (_, error) => {
  const { sent, get } = setUp(() => {
    throw error;
  });
  const result = get('');
  await settle();
  sent[0]?.respond(401);
  expect(await result).toBe(401);
});

const budgetThatRefuses: Limit = {
  name: 'budget',
  take: () => undefined,
  planRetry: () => 'budget-exhausted',
};

test.each<[what: string, options: PolicyOptions, statuses: readonly number[], tokens: number]>([
  ['without retries a 401 is repeated', { maxRetries: 0 }, [401, 200], 1],
  ['it counts as no retry', { maxRetries: 1 }, [401, 503, 200], 1],
  ['it costs no budget', { limits: [budgetThatRefuses], maxRetries: 1 }, [401, 200], 1],
  ['another origin gets no token, and asks for none', { trustedOrigins: ['http://other.test'] }, [401], 0],
  ['a 403 is no 401', {}, [403], 0],
])('%s', async (_, options, statuses, tokens) => {
  let refreshes = 0;
  const { sent, fetch } = setUp(() => {
    refreshes += 1;
    return { authorization: 'new' };
  }, options);
  const result = fetch('http://upstream.test/');
  for (const [at, status] of statuses.entries()) {
    await settle();
    sent[at]?.respond(status);
  }
  const response = await result;
  expect(response.status).toBe(statuses.at(-1));
  expect(attemptsOf(response).map(({ status }) => status)).toEqual(statuses);
  expect(refreshes).toBe(tokens);
});

test('a 401 that a redirect led to is no refusal of the first server', async () => {
  let refreshes = 0;
  const refresh = () => {
    refreshes += 1;
    return undefined;
  };
  const base = async () =>
    Object.defineProperty(new Response(null, { status: 401 }), 'redirected', { value: true });
  const fetch = createFetch({ plugins: [unauthorized({ refresh })], trustedOrigins: () => true }, base);
  expect((await fetch('http://upstream.test/')).status).toBe(401);
  expect(refreshes).toBe(0);
});

test('a client below another one leaves its 401 to that', async () => {
  let refreshes = 0;
  const refresh = () => {
    refreshes += 1;
    return undefined;
  };
  const base = async () => new Response(null, { status: 401 });
  const inner = createFetch({ plugins: [unauthorized({ refresh })], trustedOrigins: () => true }, base);
  expect((await createFetch({}, inner)('http://upstream.test/')).status).toBe(401);
  expect(refreshes).toBe(0);
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
