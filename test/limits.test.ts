import {
  concurrencyLimit,
  constant,
  createPolicy,
  type EbbEvent,
  fairQueue,
  type PolicyOptions,
  perKey,
  quotaBucket,
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
import { until } from './until.ts';

const up: Step = { status: 200, body: 'up' };
const down: Step = { status: 503, body: 'down' };

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
  const bucketOf = (more: object = {}) => tokenBucket({ capacity: 1, refillPerSecond: 1, clock, ...more });

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

  test('a key that the queue of a bucket per key does not take fails before anything is sent', async () => {
    await setUp([up], { bucket: perKey(() => bucketOf(), { clock }), fairKey: 'tenant-7' });
    await expect(send()).rejects.toThrow('fairKey must be left out at a limit without');
    expect(server.seen).toHaveLength(0);
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
