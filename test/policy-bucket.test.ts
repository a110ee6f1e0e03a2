import { constant } from '@ebb/core';
import { policyBucket } from '@ebb/core/quotas';
import { seededRandom, virtualClock } from '@ebb/core/testing';
import { type BaseFetch, createFetch } from '@ebb/fetch';
import { describe, expect, test } from 'vitest';
import { quotaServer, type ServerPolicy } from './quota-server.ts';

/** The tenants together want more than the last one, which is the one that they use up. */
const APP_LIMITS: readonly ServerPolicy[] = [
  { name: 'burst', quota: 50, windowSeconds: 10, isPerTenant: true },
  { name: 'minute', quota: 200, windowSeconds: 60, isPerTenant: true },
  { name: 'app', quota: 350, windowSeconds: 120, isPerTenant: false },
];
/** Each tenant uses up its own. */
const TENANT_LIMITS: readonly ServerPolicy[] = [
  { name: 'burst', quota: 60, windowSeconds: 10, isPerTenant: true },
  { name: 'minute', quota: 100, windowSeconds: 60, isPerTenant: true },
  { name: 'app', quota: 9_000, windowSeconds: 120, isPerTenant: false },
];
const TENANTS = ['one', 'two'];

const tenantOf = (init?: RequestInit): string => new Headers(init?.headers).get('x-tenant') ?? '';

/** Two tenants with sixty workers each, which always want more, at latencies of 20 to 200 ms. */
async function demand(policies: readonly ServerPolicy[], durationMs: number, seed: number, hasBucket = true) {
  const clock = virtualClock({ startMs: 0 });
  const random = seededRandom(seed);
  const server = quotaServer(policies, Math.floor(random() * 60_000));
  const delay = () => clock.sleep(10 + 90 * random());
  let [firstAnswerMs, sentBefore] = [0, 0];
  const service: BaseFetch = async (_, init) => {
    if (firstAnswerMs === 0) sentBefore += 1;
    await delay();
    const { status, headers } = server.answer(tenantOf(init as RequestInit), clock.elapsedMs);
    await delay();
    firstAnswerMs ||= clock.elapsedMs;
    return new Response(null, { status, headers });
  };
  const keyOf = (request: { header(name: string): string | undefined }) => request.header('x-tenant') ?? '';
  const bucket = hasBucket ? policyBucket({ keyOf, clock, random }) : undefined;
  const fetch = createFetch({ bucket, clock, random, backoff: constant(1_000) }, service);
  const stop = new AbortController();
  const work = async (tenant: string): Promise<void> => {
    const init = { headers: { 'x-tenant': tenant }, signal: stop.signal };
    while (!stop.signal.aborted) await fetch('https://api.test/', init).catch(() => undefined);
  };
  for (const tenant of TENANTS) for (let worker = 0; worker < 60; worker += 1) void work(tenant);
  await clock.advance(durationMs);
  stop.abort();
  return { server, sentBefore };
}

describe.each([1, 2])('quotas that were never told, seed %s', { timeout: 60_000 }, (seed) => {
  test('are used up in each window: one that all tenants share', async () => {
    const { server, sentBefore } = await demand(APP_LIMITS, 130_000, seed);
    // The first window may have begun before.
    const [first = 0, second = 0] = server.shares('app all', 350);
    expect(Math.min(first, second)).toBeGreaterThanOrEqual(0.95);
    expect(Math.max(first, second)).toBeLessThanOrEqual(1);
    expect(server.refusedShare()).toBeLessThanOrEqual(0.01);
    expect(sentBefore).toBe(TENANTS.length);
  });

  test('are used up in each window: those of each tenant', async () => {
    const { server } = await demand(TENANT_LIMITS, 61_000, seed);
    for (const tenant of TENANTS) {
      const shares = server.shares(`minute ${tenant}`, 100).slice(0, 2);
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.95);
      expect(server.shares(`burst ${tenant}`, 60)[0]).toBe(1);
    }
    expect(server.refusedShare()).toBeLessThanOrEqual(0.01);
  });
});

test('without the bucket most requests of these tenants are refused', { timeout: 60_000 }, async () => {
  const { server } = await demand(APP_LIMITS, 20_000, 1, false);
  expect(server.refusedShare()).toBeGreaterThan(0.5);
});
