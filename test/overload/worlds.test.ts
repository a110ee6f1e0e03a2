import { adaptiveThrottle, constant } from '@ebb/core';
import { expect, test } from 'vitest';
import { percent, percentOf, run } from './world.ts';

// Small worlds. Those of the pages: pnpm bench overload.

const policies = {
  default: () => ({ attemptTimeoutMs: 1_000 }),
  throttle: () => ({ attemptTimeoutMs: 1_000, throttle: adaptiveThrottle() }),
};

test('five seconds of silence keep a busy service down for good, but not with a throttle', async () => {
  const after = async (policy: () => object): Promise<number> => {
    const server = {
      workers: 2,
      serviceMs: 20,
      maxQueue: 200,
      troubles: [{ type: 'outage', answer: 'silence', fromMs: 5_000, untilMs: 10_000 }] as const,
    };
    const world = { clients: 4, requestsPerSecond: 90, durationMs: 40_000, server, policy };
    return percent(await run(world), 10_000, 40_000);
  };
  expect(await after(policies.default)).toBeLessThan(15);
  expect(await after(policies.throttle)).toBeGreaterThan(75);
}, 30_000);

test('the load doubles, and the fleet 10 s later: less is lost with a throttle', async () => {
  const answered = async (policy: () => object): Promise<number> => {
    const server = {
      workers: 4,
      serviceMs: 20,
      maxQueue: 400,
      troubles: [{ type: 'brown-out', capacityShare: 0.5, fromMs: 0, untilMs: 15_000 }] as const,
    };
    const requestsPerSecond = (nowMs: number): number => (nowMs < 5_000 ? 90 : 180);
    return percent(await run({ clients: 4, requestsPerSecond, durationMs: 40_000, server, policy }));
  };
  const withThrottle = await answered(policies.throttle);
  expect(withThrottle).toBeGreaterThan((await answered(policies.default)) + 30);
  expect(withThrottle).toBeGreaterThan(80);
}, 30_000);

test.each([undefined, 2])(
  'a 429 from a full queue is cheap: a throttle takes little away (Retry-After %s s)',
  async (retryAfterSeconds) => {
    const answered = async (policy: () => object): Promise<number> => {
      const server = {
        workers: 2,
        serviceMs: 20,
        maxQueue: 10,
        queueFull: 'too-many',
        retryAfterSeconds,
        troubles: [{ type: 'brown-out', capacityShare: 0.5, fromMs: 5_000, untilMs: 20_000 }],
      } as const;
      return percent(await run({ clients: 4, requestsPerSecond: 90, durationMs: 50_000, server, policy }));
    };
    const withThrottle = await answered(policies.throttle);
    expect(withThrottle).toBeGreaterThan(
      (await answered(() => ({ maxRetries: 0, attemptTimeoutMs: 1_000 }))) + 1,
    );
    expect(withThrottle).toBeGreaterThan((await answered(policies.default)) - 3);
  },
  30_000,
);

test('a client that is alone loses little of a deploy of 30 s, whatever the seed', async () => {
  const shares: number[] = [];
  for (let seed = 1; seed <= 20; seed += 1) {
    const server = {
      workers: 4,
      serviceMs: 20,
      troubles: [{ type: 'outage', fromMs: 30_000, untilMs: 60_000 }] as const,
    };
    const policy = () => ({ throttle: adaptiveThrottle() });
    const world = { clients: 1, requestsPerSecond: 1, durationMs: 170_000, server, policy, seed };
    shares.push(percentOf(await run(world), 30_000, 120_000));
  }
  // With a die for each scheduled attempt it was 49 to 100 %.
  expect(Math.min(...shares)).toBeGreaterThan(80);
  expect(shares.reduce((sum, one) => sum + one, 0) / shares.length).toBeGreaterThan(95);
}, 60_000);

test('200 requests with two 503s each are all answered', async () => {
  const server = {
    workers: 1_000,
    serviceMs: 20,
    troubles: [{ type: 'outage', answer: 'unavailable', fromMs: 0, untilMs: 2_000 }] as const,
  };
  const policy = () => ({ throttle: adaptiveThrottle(), backoff: constant(1_000) });
  const result = await run({
    clients: 1,
    requestsPerSecond: 20_000,
    durationMs: 30_000,
    untilMs: 10,
    server,
    policy,
  });
  expect(percentOf(result)).toBe(100);
});
