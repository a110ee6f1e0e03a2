import {
  constant,
  createPolicy,
  type EbbEvent,
  NotSentError,
  type Plugin,
  type PolicyOptions,
  perKey,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { policyBucket } from '@ebb/core/quotas';
import { virtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type BaseFetch, createFetch } from './create-fetch.ts';
import { deduplicate } from './deduplicate.ts';
import { failover } from './failover.ts';

const [A, B, C] = ['http://a.test:8080', 'https://b.test', 'http://c.test'] as const;
const reset = (): TypeError =>
  new TypeError('reset', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });

/** A response of the target of a redirect, by default a failure. */
const redirectedTo = (url: string, response = new Response(null, { status: 503 })): Response =>
  Object.defineProperties(response, {
    redirected: { value: true },
    url: { value: url },
  });

/** The answer of each origin: a status, or a response, or a failure. */
type Answers = Record<string, number | (() => Response | Promise<Response>)>;

let clock: ReturnType<typeof virtualClock>;
beforeEach(() => {
  clock = virtualClock({ startMs: 0 });
});

function client(answers: Answers, options: PolicyOptions = {}, more: object = {}, after: Plugin[] = []) {
  const sent: string[] = [];
  const requests: Request[] = [];
  const bodies: string[] = [];
  const base: BaseFetch = async (input, init) => {
    const request = new Request(input, init as RequestInit);
    const { origin, pathname, search } = new URL(request.url);
    sent.push(origin + (pathname === '/' ? '' : pathname + search));
    requests.push(request);
    bodies.push(await request.clone().text());
    const answer = answers[origin] ?? 404;
    return typeof answer === 'number' ? new Response(origin, { status: answer }) : answer();
  };
  const events: EbbEvent[] = [];
  const reported = new Set<object>();
  const plugin = failover({ origins: [A, B, C], consecutiveFailures: 2, ...more });
  const policy = createPolicy({
    ...{ clock, backoff: constant(10), random: () => 0, plugins: [plugin, ...after] },
    onEvent(event) {
      events.push(structuredClone(event));
      reported.add(event.request);
    },
    ...options,
  });
  const fetch = createFetch(policy, base);
  const send = async (...args: Parameters<typeof fetch>): Promise<string> => {
    const response = await clock.runUntilSettled(fetch(...args));
    return `${response.status} ${await response.text()}`;
  };
  /** A client with the same plugin. */
  const fetchWith = (more: PolicyOptions) => createFetch({ clock, ...more }, base);
  return { send, fetchWith, sent, requests, bodies, events, reported, plugin, policy, answers };
}

describe('a retry', () => {
  test('goes to the next origin, with path, query and headers', async () => {
    const { send, sent, requests } = client({ [A]: 503, [B]: 500, [C]: 200 });
    const headers = { authorization: 'secret', cookie: 'a=1' };
    expect(await send(`${A}/items?page=2`, { headers })).toBe(`200 ${C}`);
    expect(sent).toEqual([`${A}/items?page=2`, `${B}/items?page=2`, `${C}/items?page=2`]);
    for (const one of requests) expect(one.headers.get('authorization')).toBe('secret');
  });

  test('begins again after the last', async () => {
    const { send, sent } = client(
      { [A]: 503, [B]: 503, [C]: 503 },
      { maxRetries: 3 },
      { consecutiveFailures: 9 },
    );
    await send(C);
    expect(sent).toEqual([C, A, B, C]);
  });

  test('of a request that may not be repeated is not sent', async () => {
    const { send, sent } = client({ [A]: 502, [B]: 200 });
    expect(await send(A, { method: 'POST', body: 'x' })).toBe(`502 ${A}`);
    expect(sent).toEqual([A]);
  });

  test.each<[what: string, make: () => [RequestInfo, object?]]>([
    ['a text', () => [A, { method: 'PUT', body: 'x' }]],
    ['a `Request`', () => [new Request(A, { method: 'PUT', body: 'x', headers: { 'x-user': 'one' } })]],
    ['a body function', () => [A, { method: 'PUT', body: () => 'x' }]],
    ['a `Request` and an init', () => [new Request(A, { method: 'PUT', body: 'y' }), { body: 'x' }]],
  ])('has the body of %s', async (_, make) => {
    const { send, sent, bodies, requests } = client({ [A]: 503, [B]: 200 });
    const [input, init] = make();
    expect(await send(input, init)).toBe(`200 ${B}`);
    expect([sent, bodies]).toEqual([
      [A, B],
      ['x', 'x'],
    ]);
    const [one, other] = requests.map(({ method, headers }) => [method, headers.get('x-user')]);
    expect(other).toEqual(one);
  });

  test('does not wait as long as another origin has asked', async () => {
    const busy = (status: number) => () => new Response(null, { status, headers: { 'retry-after': '30' } });
    const { send, sent } = client({ [A]: busy(503), [B]: busy(403), [C]: 200 });
    expect(await send(A)).toBe(`200 ${C}`);
    expect(sent).toEqual([A, B, C]);
    expect(clock.elapsedMs).toBe(20);
  });

  test('waits as long as the only origin has asked', async () => {
    let answers = 0;
    const busy = (): Response => {
      answers += 1;
      return new Response(null, { status: answers > 1 ? 200 : 503, headers: { 'retry-after': '30' } });
    };
    const { send } = client({ [A]: busy }, {}, { origins: [A] });
    await send(A);
    expect(clock.elapsedMs).toBe(30_000);
  });

  test('is not sent if the only origin has asked for too long a wait', async () => {
    const busy = (): Response => new Response(null, { status: 503, headers: { 'retry-after': '700' } });
    const { send, events } = client({ [A]: busy }, {}, { origins: [A] });
    await send(A);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'retry-after-too-long', attempt: 1 });
  });

  test('that is not sent leaves the request where it was', async () => {
    const limits = [{ name: 'no', planRetry: () => 'budget-exhausted' as const }];
    const { send, events, plugin } = client({ [A]: 503, [B]: 200 }, {}, {}, [{ name: 'last', limits }]);
    expect(await send(A)).toBe(`503 ${A}`);
    expect(events.map(({ type, request }) => `${type} ${request.url}`)).toEqual([
      `attempt ${A}/`,
      `end ${A}/`,
    ]);
    expect(plugin.ejected).toEqual([]);
  });
});

describe('an origin that asks for no more requests', () => {
  const answer = (status: number, headers: Record<string, string>) => (): Response =>
    new Response(null, { status, headers });
  const usedUp = { ratelimit: '"minute";r=0;t=60' };

  test.each<[what: string, ask: () => Response, options?: PolicyOptions]>([
    ['with a Retry-After', answer(429, { 'retry-after': '60' })],
    ['with a used-up quota', answer(200, usedUp)],
    ['with a used-up quota, which a bucket has heard of', answer(200, usedUp), { bucket: policyBucket() }],
  ])('%s gets none until then while another is free', async (_, ask, { bucket } = {}) => {
    const own = bucket && { bucket: policyBucket({ clock }) };
    const { send, sent, plugin } = client({ [A]: ask, [B]: 200 }, own);
    await send(A);
    sent.length = 0;
    for (let call = 0; call < 3; call += 1) await send(A);
    expect([sent, clock.elapsedMs < 100, plugin.ejected]).toEqual([[B, B, B], true, []]);
    clock.tick(60_000);
    await send(A);
    expect(sent.slice(3)[0]).toBe(A);
  });

  test.each<[what: string, ask: () => Response, options?: PolicyOptions]>([
    ['if the policy reads nothing', answer(429, { 'retry-after': '60' }), { feedback: false, maxRetries: 0 }],
    ['if the target of a redirect asks', () => redirectedTo('http://other.test/', answer(200, usedUp)())],
    ['if the rest of its quota is above 0', answer(200, { ratelimit: '"minute";r=1;t=60' })],
  ])('%s gets them', async (_, ask, options) => {
    const { send, sent } = client({ [A]: ask, [B]: 200 }, options);
    for (let call = 0; call < 2; call += 1) await send(A);
    expect(sent).toEqual([A, A]);
  });

  test('gets none either after a redirect to it', async () => {
    const asks = () => redirectedTo(B, answer(503, { 'retry-after': '60' })());
    const { send, sent, plugin } = client({ [A]: asks, [B]: 200, [C]: 200 }, {}, { consecutiveFailures: 1 });
    expect(await send(A)).toBe(`200 ${C}`);
    expect([sent, plugin.ejected]).toEqual([[A, C], []]);
  });

  test('if all ask, requests go to the one whose pause ends first, and a retry waits for it', async () => {
    const busy = (seconds: number) => answer(503, { 'retry-after': `${seconds}` });
    const { send, sent, answers } = client(
      { [A]: busy(60), [B]: busy(30), [C]: busy(40) },
      { maxRetries: 2 },
    );
    await send(A);
    expect(clock.elapsedMs).toBe(20);
    sent.length = 0;
    Object.assign(answers, { [B]: busy(50), [C]: 200 });
    expect(await send(A)).toBe(`200 ${C}`);
    expect([sent, clock.elapsedMs]).toEqual([[B, C], 40_020]);
  });

  test('it is believed for ten minutes at most', async () => {
    const { send, sent } = client({ [A]: answer(429, { 'retry-after': '9999999' }), [B]: 200 });
    await send(A);
    clock.tick(600_000);
    sent.length = 0;
    await send(A);
    expect(sent).toEqual([A, B]);
  });
});

test("a caller's `Host` is not sent to another origin", async () => {
  const { send, requests } = client({ [A]: 503, [B]: 200 });
  await send(A, { headers: { host: 'a.test', 'x-user': 'one' } });
  expect(requests.map(({ headers }) => [headers.get('host'), headers.get('x-user')])).toEqual([
    ['a.test', 'one'],
    [null, 'one'],
  ]);
});

test('a request to another origin, and one without a policy, stay as they are', async () => {
  const { send, sent } = client({ 'http://other.test': 503, [A]: 503 }, { maxRetries: 1 });
  await send('http://other.test');
  await send(A, { ebb: false } as object);
  expect(sent).toEqual(['http://other.test', 'http://other.test', A]);
});

describe('an origin that fails', () => {
  test('is left out, and comes back by one probe', async () => {
    const { send, sent, plugin, answers } = client({ [A]: 503, [B]: 200 });
    await send(A);
    await send(A);
    expect(plugin.ejected).toEqual([A]);
    await send(A);
    expect(sent).toEqual([A, B, A, B, B]);
    await clock.advance(30_000);
    answers[A] = 200;
    expect(await send(A)).toBe(`200 ${A}`);
    expect(plugin.ejected).toEqual([]);
  });

  test.each<[what: string, answer: Answers[string], counts: boolean]>([
    ['503', 503, true],
    ['429', 429, false],
    ['404', 404, false],
    ['a lost connection', () => Promise.reject(reset()), true],
    ['a mistake of the program', () => Promise.reject(new RangeError('mine')), false],
    ['a failure after a redirect', () => redirectedTo(`${A}/other`), true],
    ['a failure after a redirect to another origin', () => redirectedTo('http://other.test/'), false],
  ])('%s counts: %s', async (_, answer, counts) => {
    const { plugin, send } = client({ [A]: answer, [B]: 200 }, { maxRetries: 0 });
    for (let call = 0; call < 2; call += 1) await send(A).catch(() => undefined);
    expect(plugin.ejected).toEqual(counts ? [A] : []);
  });

  test.each<[what: string, options: PolicyOptions]>([
    ['an attempt', { attemptTimeoutMs: 50, maxRetries: 0 }],
    ['a call', { totalTimeoutMs: 50 }],
  ])('a timeout of %s counts', async (_, options) => {
    const { plugin, send } = client({ [A]: () => new Promise(() => undefined) }, options);
    for (let call = 0; call < 2; call += 1) await send(A).catch(() => undefined);
    expect(plugin.ejected).toEqual([A]);
  });

  test('the abort of a probe leaves it out, and does not keep others from probing', async () => {
    const never = (): Promise<Response> => new Promise(() => undefined);
    const { plugin, send, sent, answers } = client({ [A]: 503, [B]: 200 });
    await send(A);
    await send(A);
    await clock.advance(30_000);
    answers[A] = never;
    const probe = send(A, { signal: AbortSignal.abort() }).catch(() => 'aborted');
    const abort = new AbortController();
    const other = send(A, { signal: abort.signal }).catch(() => 'aborted');
    await clock.advance(1);
    abort.abort();
    expect([await probe, await other, plugin.ejected]).toEqual(['aborted', 'aborted', [A]]);
    answers[A] = 200;
    sent.length = 0;
    await send(A);
    expect([sent, plugin.ejected]).toEqual([[A], []]);
  });
});

describe('a probe that never begins leaves the next one free', () => {
  const refused = (): never => {
    throw new NotSentError('Not sent: no');
  };
  const cache = async (): Promise<Response> => new Response('cached');
  const limit = { name: 'no', started: refused, take: () => undefined };
  test.each<[what: string, options: PolicyOptions, after: Plugin[]]>([
    ['other middleware answers', {}, [{ name: 'cache', middleware: [cache] }]],
    ['a limit before it refuses the call', { limits: [limit] }, []],
  ])('%s', async (_, options, after) => {
    const { plugin, send, fetchWith, sent, answers } = client({ [A]: 503, [B]: 200 });
    await send(A);
    await send(A);
    await clock.advance(30_000);
    answers[A] = 200;
    const plugins = [plugin, ...after];
    await fetchWith({ plugins, ...options })(A).catch(() => undefined);
    sent.length = 0;
    await send(A);
    expect([sent, plugin.ejected]).toEqual([[A], []]);
  });
});

test('a request that is sent again at once counts as well', async () => {
  let attempts = 0;
  const stale: Plugin = {
    name: 'stale',
    failed: (outcome) => ({ ...outcome, advice: { retryNow: 'stale-connection' } }),
  };
  const lost = async (): Promise<Response> => {
    attempts += 1;
    if (attempts % 2 === 1) throw reset();
    return new Response();
  };
  const { plugin, send, sent } = client({ [A]: lost, [B]: 200 }, {}, {}, [stale]);
  for (let call = 0; call < 3; call += 1) await send(A);
  expect([sent, plugin.ejected]).toEqual([[A, A, A, A, A, A], []]);
});

describe('limits per key', () => {
  test('are those of the origin that the attempt goes to', async () => {
    const bucket = perKey(() => tokenBucket({ capacity: 5, refillPerSecond: 1e-6, clock }), { clock });
    const { send } = client({ [A]: 503, [B]: 500, [C]: 200 }, { bucket });
    await send(A);
    await send(A);
    const tokens = (origin: string): number =>
      Math.round(bucket.for({ url: `${origin}/` } as never).stats().tokens);
    expect([A, B, C].map(tokens)).toEqual([3, 3, 3]);
    await send(A);
    expect([A, B, C].map(tokens)).toEqual([3, 3, 2]);
  });

  test('a budget is that of the origin of the first attempt', async () => {
    const budget = perKey(() => retryBudget({ clock }), { clock });
    const { send } = client({ [A]: 503, [B]: 200 }, { budget });
    expect(await send(A)).toBe(`200 ${B}`);
    expect(budget.size).toBe(1);
  });

  test('a pause that an origin asks for holds for its own requests', async () => {
    const bucket = perKey(() => tokenBucket({ refillPerSecond: 100, clock }), { clock });
    const busy = (): Response => new Response(null, { status: 429, headers: { 'retry-after': '30' } });
    const { send } = client({ [A]: busy, [B]: 200 }, { bucket });
    await send(A);
    expect(clock.elapsedMs).toBe(10);
    const pausedMs = (origin: string): number => bucket.for({ url: `${origin}/` } as never).stats().pausedMs;
    expect(pausedMs(A)).toBeGreaterThanOrEqual(29_990);
    expect(pausedMs(B)).toBe(0);
  });
});

test('the upload of an attempt that fails is closed', async () => {
  const cancelled = vi.fn();
  const base = async (): Promise<Response> => {
    throw new RangeError('mine');
  };
  const fetch = createFetch({ plugins: [failover({ origins: [A] })] }, base);
  const body = (): ReadableStream => new ReadableStream({ cancel: cancelled });
  await expect(fetch(A, { method: 'POST', body })).rejects.toThrow('mine');
  expect(cancelled).toHaveBeenCalledTimes(1);
});

test('hooks and events see where an attempt goes, and the events of a request have one object', async () => {
  const asked: string[] = [];
  const { send, events, reported } = client(
    { [A]: 503, [B]: 200 },
    {
      beforeAttempt: ({ request }) => {
        asked.push(request.url);
        return undefined;
      },
      wrapAttempt: (go, { request }) => {
        asked.push(request.url);
        return go();
      },
    },
  );
  await send(`${A}/x`);
  expect(asked).toEqual([`${A}/x`, `${A}/x`, `${B}/x`, `${B}/x`]);
  expect(events.map(({ type, request }) => `${type} ${request.url}`)).toEqual([
    `attempt ${A}/x`,
    `retry ${B}/x`,
    `attempt ${B}/x`,
    `end ${B}/x`,
  ]);
  expect(reported.size).toBe(1);
});

test('credentials of hooks go to trusted origins alone', async () => {
  const { send, requests } = client(
    { [A]: 503, [B]: 200 },
    { trustedOrigins: [A], beforeAttempt: () => ({ authorization: 'token' }) },
  );
  await send(A);
  expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual(['token', null]);
});

test('wrong options, and a policy that deduplicates, are refused', async () => {
  expect(() => failover({} as never)).toThrow('failover: origins');
  expect(() => failover({ origins: [] })).toThrow('failover: origins must be a list of origins, got');
  expect(() => failover({ origins: ['https://a.test/path'] })).toThrow(
    'failover: origins[0] must be an origin',
  );
  expect(() => failover({ origins: [A], maxEjectedShare: 2 })).toThrow('failover: maxEjectedShare');
  const { send } = client({ [A]: 200 }, { middleware: [deduplicate()] });
  await expect(send(A)).rejects.toThrow('failover: not beside deduplicate');
});
