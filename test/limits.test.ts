import {
  concurrencyLimit,
  constant,
  createPolicy,
  type EbbEvent,
  fairQueue,
  NotSentError,
  type PolicyOptions,
  perKey,
  quotaBucket,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { costFromResponse } from '@ebb/providers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Client, clients, type Got } from './clients.ts';
import type { Sent } from './fetch-client.ts';
import { flow } from './flow.ts';
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
  let stop: () => Promise<void>;

  async function setUp(script: readonly Step[], options: PolicyOptions): Promise<void> {
    server = await upstream(script);
    const onEvent = (event: EbbEvent) => events.push(event);
    client = makeClient(createPolicy({ clock, random: () => 0, backoff: constant(10), onEvent, ...options }));
  }
  beforeEach(() => {
    clock = virtualClock({ startMs: 0 });
    events = [];
    flowing = true;
    stop = flow(clock, () => flowing && server?.underWay() === 0);
  });
  afterEach(async () => {
    await stop();
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
    expect(events.filter(({ type }) => type === 'wait')).toMatchObject([{ waitedMs: 990 }]);
  });

  test('a wait names the unit that was lacking, and the key whose request it is', async () => {
    const limits = {
      requests: { capacity: 5, refillPerSecond: 1 },
      tokens: { capacity: 10, initialTokens: 0, refillPerSecond: 1 },
    };
    const bucket = quotaBucket({ limits, queue: fairQueue(), clock });
    await setUp([up], { bucket, fairKey: ({ method }) => `by ${method}` });
    await send({ ebb: { cost: { requests: 1, tokens: 2 } } });
    await send({ ebb: { cost: { requests: 1 } } });
    await send({ ebb: { cost: { requests: 5 }, fairKey: 'tenant-7' } });
    const waits = events.filter(({ type }) => type === 'wait');
    expect(waits).toMatchObject([
      { waitedMs: 2_000, unit: 'tokens', fairKey: 'by GET' },
      { unit: 'requests', fairKey: 'tenant-7' },
    ]);
  });

  test('one request has costs by unit, and reads its own', async () => {
    const limits = {
      requests: { capacity: 9, refillPerSecond: 1 },
      tokens: { capacity: 90, refillPerSecond: 1 },
    };
    const bucket = quotaBucket({ limits, clock });
    await setUp([{ status: 200, body: '{"used":7}' }], { bucket });
    const actualCost = costFromResponse(async (response) => ({
      tokens: ((await response.json()) as { used: number }).used,
    }));
    await send({ ebb: { cost: { requests: 1, tokens: 50 }, actualCost } });
    await until(() => bucket.stats().units?.tokens?.tokens === 83);
    expect(bucket.stats().units).toMatchObject({ requests: { tokens: 8 }, tokens: { tokens: 83 } });
  });

  test('a wait for a slot names the key, and one without a key names none', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1, queue: fairQueue(), clock });
    await setUp([up], { concurrency });
    flowing = false;
    const held = concurrency.tryAcquire();
    const sent = [send({ ebb: { fairKey: 'tenant-7' } }), send()];
    await until(() => concurrency.stats().waiting === 2);
    clock.tick(50);
    held?.release();
    await Promise.all(sent);
    flowing = true;
    const keys = events.flatMap((event) => (event.type === 'wait' ? [Object.keys(event)] : []));
    expect(keys.map((names) => names.includes('fairKey'))).toEqual([true, false]);
  });

  test('a refusal names the key whose request it is', async () => {
    const bucket = bucketOf({ initialTokens: 0, queue: fairQueue() });
    await setUp([up], { bucket, maxWaitMs: 500 });
    const error = async (sent?: Sent) => send(sent).catch((refusal: unknown) => refusal);
    expect(await error({ ebb: { fairKey: 'tenant-7' } })).toMatchObject({
      reason: 'wait-too-long',
      fairKey: 'tenant-7',
    });
    expect(await error()).not.toHaveProperty('fairKey');
  });

  test('a key that the queue of a bucket per key does not take fails before anything is sent', async () => {
    await setUp([up], { bucket: perKey(() => bucketOf(), { clock }), fairKey: 'tenant-7' });
    await expect(send()).rejects.toThrow('fairKey must be left out at a limit without');
    expect(server.seen).toHaveLength(0);
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

  test('a rejecting bucket throws a NotSentError with the wait until the next token', async () => {
    await setUp([up], { bucket: bucketOf({ nonConforming: 'reject' }) });
    await send();
    const refused = await send().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotSentError);
    expect(refused).toMatchObject({ reason: 'not-conforming', waitMs: 1_000 });
    expect(last().reason).toBe('limited');
    expect(server.seen).toHaveLength(1);
  });

  test('a marking bucket grants every request, and emits mark events', async () => {
    await setUp([up], { bucket: bucketOf({ nonConforming: 'mark' }) });
    await sendAll(2);
    expect(server.seen).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'mark')).toHaveLength(1);
  });

  test('a request can set its cost, maxWaitMs and key', async () => {
    const bucket = perKey(() => tokenBucket({ capacity: 5, refillPerSecond: 1, clock }), { clock });
    await setUp([up], { bucket });
    await send({ ebb: { cost: 5 } });
    await expect(send({ ebb: { maxWaitMs: 500 } })).rejects.toBeInstanceOf(NotSentError);
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
