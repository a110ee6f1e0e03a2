import { attemptsOf, constant, detailsOf, type EbbEvent, type PolicyOptions, unauthorized } from '@ebb/core';
import { expect, test } from 'vitest';
import { turns } from '../../../test/until.ts';
import { createFetch } from './create-fetch.ts';

/** A response that is held back until it is given. */
interface Held {
  readonly token: string | null;
  readonly path: string;
  respond(status: number): void;
}

/** Long enough for anything that needs no more than turns of the event loop. */
const settle = () => turns(20);

/** A client with this `refresh`, whose service responds by hand. */
function setUp(refresh: () => unknown, options: PolicyOptions = {}) {
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
      use: [unauthorized({ refresh: refresh as never })],
      trustedOrigins: ['http://upstream.test'],
      backoff: constant(0),
      onEvent: (event) => events.push(event),
      ...options,
    },
    base,
  );
  const get = (path: string) => fetch(`http://upstream.test/${path}`).then(({ status }) => status);
  return { sent, events, get, fetch };
}

/** A refresh that ends by hand. */
function byHand() {
  const given: PromiseWithResolvers<unknown>[] = [];
  const refresh = () => {
    const next = Promise.withResolvers<unknown>();
    given.push(next);
    return next.promise;
  };
  return { given, refresh };
}

test('one refresh is for all requests in flight, also for one whose 401 comes after its end', async () => {
  const { given, refresh } = byHand();
  const { sent, get } = setUp(refresh);
  const results = ['a', 'b', 'late'].map(get);
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
  const results = ['a', 'late'].map(get);
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

test('a refresh that throws at once is one that fails', async () => {
  const { sent, get } = setUp(() => {
    throw new Error('no token');
  });
  const result = get('');
  await settle();
  sent[0]?.respond(401);
  expect(await result).toBe(401);
});

test.each<[what: string, options: PolicyOptions, statuses: readonly number[], tokens: number]>([
  ['without retries a 401 is repeated', { maxRetries: 0 }, [401, 200], 1],
  ['it counts as no retry', { maxRetries: 1 }, [401, 503, 200], 1],
  ['it costs no budget', { budget: { part: budgetThatRefuses() } as never, maxRetries: 1 }, [401, 200], 1],
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

/** The part of a budget that allows no retry. */
function budgetThatRefuses() {
  return { name: 'budget', place: 'watching', begin: () => ({ permit: () => 'budget-exhausted' }) };
}

test('a 401 that a redirect led to is no refusal of the first server', async () => {
  let refreshes = 0;
  const refresh = () => {
    refreshes += 1;
    return undefined;
  };
  const base = async () =>
    Object.defineProperty(new Response(null, { status: 401 }), 'redirected', { value: true });
  const fetch = createFetch({ use: [unauthorized({ refresh })], trustedOrigins: () => true }, base);
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
  const inner = createFetch({ use: [unauthorized({ refresh })], trustedOrigins: () => true }, base);
  expect((await createFetch({}, inner)('http://upstream.test/')).status).toBe(401);
  expect(refreshes).toBe(0);
});

test('a policy without trustedOrigins is refused', () => {
  const use = [unauthorized({ refresh: () => undefined })];
  expect(() => createFetch({ use })).toThrow(
    "unauthorized: trustedOrigins must be set in its policy, such as trustedOrigins: ['https://api.example.com']",
  );
});

test('a wrong option is an error', () => {
  expect(() => unauthorized({} as never)).toThrow('unauthorized: refresh must be a function');
});
