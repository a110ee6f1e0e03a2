import {
  concurrencyLimit,
  constant,
  createPolicy,
  type EbbEvent,
  type PolicyOptions,
  perKey,
  retryBudget,
  ThrottledError,
  tokenBucket,
} from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Client, clients, type Got } from './clients.ts';
import type { Sent } from './fetch-client.ts';
import { refusingUrl } from './refusing.ts';
import { type Step, type Upstream, upstream } from './server.ts';
import { turns, until } from './until.ts';

const up: Step = { status: 200, body: 'up' };
const down: Step = { status: 503, body: 'down' };
const slowDown: Step = { status: 429, headers: { 'retry-after': '5' }, body: 'slow down' };

describe.each(Object.entries(clients))('%s', (_, makeClient) => {
  let clock: VirtualClock;
  let events: EbbEvent[];
  let server: Upstream;
  let client: Client;
  /** Whether virtual time advances to the next timer while the server is idle. */
  let flowing: boolean;
  let pump: Promise<void>;
  let over: boolean;

  async function setUp(script: readonly Step[], options: PolicyOptions): Promise<void> {
    server = await upstream(script);
    const onEvent = (event: EbbEvent) => events.push(event);
    client = makeClient(createPolicy({ clock, random: () => 0, backoff: constant(10), onEvent, ...options }));
  }
  beforeEach(() => {
    clock = virtualClock({ startMs: 0 });
    events = [];
    flowing = true;
    over = false;
    pump = (async () => {
      while (!over) {
        await turns(1);
        const isIdle = flowing && server?.underWay() === 0;
        if (isIdle && clock.nextAtMs !== undefined) clock.tick(clock.nextAtMs - clock.now());
      }
    })();
  });
  afterEach(async () => {
    over = true;
    await pump;
    expect(clock.pending).toBe(0);
    await client.close();
    await server.close();
  });

  const send = (sent: Sent = {}): Promise<Got> => client.send(server.url, sent);
  const sendAll = (count: number, sent?: Sent) =>
    Promise.all(Array.from({ length: count }, () => send(sent)));
  const attemptsAtMs = () => events.flatMap(({ type, atMs }) => (type === 'attempt' ? [atMs] : []));
  const last = () => events.at(-1) as EbbEvent & { readonly reason?: string };
  const bucketOf = (more: object = {}) => tokenBucket({ capacity: 1, refillPerSecond: 1, clock, ...more });

  test('every attempt, including retries, waits for a token', async () => {
    await setUp([down, up], { bucket: bucketOf() });
    expect(await send()).toEqual({ status: 200, body: 'up' });
    expect(attemptsAtMs()).toEqual([0, 1_000]);
    expect(events.filter(({ type }) => type === 'throttle')).toMatchObject([{ waitMs: 990 }]);
  });

  test('attempts whose connection is refused return their tokens, including the last', async () => {
    const bucket = bucketOf({ capacity: 3, refillPerSecond: 1e-9 });
    await setUp([], { bucket, maxRetries: 2 });
    await expect(client.send(await refusingUrl(), { ebb: { cost: 3 } })).rejects.toThrow();
    expect(attemptsAtMs()).toEqual([0, 10, 20]);
    expect(bucket.stats()).toMatchObject({ tokens: expect.closeTo(3), granted: 3 });
  });

  test('an attempt whose redirect target refuses the connection keeps its tokens', async () => {
    const bucket = bucketOf({ capacity: 3, refillPerSecond: 1e-9 });
    const moved: Step = { status: 302, headers: { location: await refusingUrl() } };
    await setUp([moved], { bucket, maxRetries: 0 });
    // undici alone does not follow redirects, and returns the 302.
    await send({ ebb: { cost: 3 } }).catch(() => undefined);
    expect(server.seen).toHaveLength(1);
    expect(bucket.stats()).toMatchObject({ tokens: expect.closeTo(0), granted: 1 });
  });

  test('a retry is granted before new requests', async () => {
    await setUp([down, up], { bucket: bucketOf() });
    flowing = false;
    const first = send();
    await until(() => last()?.type === 'retry');
    const others = [send(), send()];
    flowing = true;
    await Promise.all([first, ...others]);
    expect(events.flatMap(({ type, attempt }) => (type === 'attempt' ? [attempt] : []))).toEqual([
      1, 2, 1, 1,
    ]);
  });

  test('a rejecting bucket throws a ThrottledError with the wait until the next token', async () => {
    await setUp([up], { bucket: bucketOf({ nonConforming: 'reject' }) });
    await send();
    const refused = await send().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ThrottledError);
    expect(refused).toMatchObject({ reason: 'not-conforming', waitMs: 1_000 });
    expect(last().reason).toBe('throttled');
    expect(server.seen).toHaveLength(1);
  });

  test('a marking bucket grants every request, and emits mark events', async () => {
    await setUp([up], { bucket: bucketOf({ nonConforming: 'mark' }) });
    await sendAll(2);
    expect(server.seen).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'mark')).toHaveLength(1);
  });

  test('a request can set its cost, maxWaitMs and key', async () => {
    const bucket = perKey(() => tokenBucket({ capacity: 5, refillPerSecond: 1, clock }));
    await setUp([up], { bucket });
    await send({ ebb: { cost: 5 } });
    await expect(send({ ebb: { maxWaitMs: 500 } })).rejects.toBeInstanceOf(ThrottledError);
    await send({ ebb: { key: 'another' } });
    expect(attemptsAtMs()).toEqual([0, 0]);
    await expect(send({ ebb: { cost: 6 } })).rejects.toThrow('≤ the capacity, 5');
  });

  test('a Retry-After also delays the other requests of the bucket', async () => {
    await setUp([slowDown, up], { bucket: bucketOf({ capacity: 10, refillPerSecond: 10 }) });
    const first = send();
    await until(() => events.some(({ type }) => type === 'retry'));
    const second = send();
    expect((await first).status).toBe(200);
    expect((await second).status).toBe(200);
    for (const atMs of attemptsAtMs().slice(1)) expect(atMs).toBeGreaterThanOrEqual(5_000);
  });

  test('an exhausted budget ends the retries with the last response', async () => {
    const budget = retryBudget({ reserve: 1, clock });
    await setUp([down], { budget });
    expect(await send()).toEqual({ status: 503, body: 'down' });
    expect(last().reason).toBe('budget-exhausted');
    expect(server.seen).toHaveLength(2);
  });

  test('there are never more requests under way than slots', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 2, clock });
    await setUp([down, 'held-200', 'held-200', 'reset', 'slow-200', 'late-200', up], { concurrency });
    const sent = sendAll(12);
    await until(() => server.underWay() === 2);
    await turns(10);
    server.letGo();
    const responses = await sent;
    expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(server.mostAtOnce()).toBe(2);
    expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
  });

  test.each<[string, Step[], PolicyOptions]>([
    ['a failure', ['reset'], { maxRetries: 1 }],
    ['the last of several 503s', [down], { maxRetries: 2 }],
    ['a body that breaks off', ['half-body'], { maxRetries: 0 }],
    ['a hook that throws', [down], { classify: () => 'nonsense' as never }],
    ['a 404', [{ status: 404 }], {}],
  ])('a slot is freed after %s', async (_name, script, options) => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
    await setUp(script, { concurrency, ...options });
    await send().catch(() => undefined);
    expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
  });
});
