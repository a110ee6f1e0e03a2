import { constant, memorystore, throttle } from '@ebb/core';
import { seededRandom, virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { ThrottleRule } from '../../packages/core/src/limits/throttle/rule.ts';
import { percent, percentOf, run } from './world.ts';

// Small worlds. Those of the pages: pnpm bench overload.

const policies = {
  default: () => ({ attemptTimeoutMs: 1_000 }),
  throttle: () => ({ attemptTimeoutMs: 1_000, throttle: throttle() }),
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

describe('a client that is alone, with one request a second, and a deploy of 30 s', () => {
  const DOWN = [30_000, 60_000] as const;

  /** The rule and the backoff, without a client of ebb: what a simulation does. */
  async function model(seed: number): Promise<number> {
    const clock = virtualClock({ startMs: 0 });
    const random = seededRandom(seed);
    const rule = new ThrottleRule();
    const backoff = memorystore();
    const served = seededRandom(seed);
    let [asked, answered] = [0, 0];
    const call = async (): Promise<void> => {
      const beganMs = clock.now();
      rule.ask();
      // A draw for the choice of one of one clients.
      random();
      let sends = 0;
      let end = false;
      let previousDelayMs: number | undefined;
      const isCounted = beganMs >= 30_000 && beganMs < 120_000;
      if (isCounted) asked += 1;
      for (let chance = 0; chance <= 5 && !end; chance += 1) {
        if (chance > 0) {
          previousDelayMs = backoff({ retry: chance, previousDelayMs, random }) as number;
          await clock.sleep(previousDelayMs);
        }
        if (!rule.take(clock.now(), sends > 0 ? 'after-failure' : 'first')) continue;
        sends += 1;
        const sentMs = clock.now();
        const isDown = sentMs >= DOWN[0] && sentMs < DOWN[1];
        if (!isDown) await clock.sleep(-Math.log(1 - served()) * 20);
        rule.learn(clock.now(), isDown, sends > 1, 0);
        end = !isDown;
      }
      if (end && isCounted) answered += 1;
    };
    const next = (): void => {
      clock.schedule(
        () => {
          void call();
          next();
        },
        -Math.log(1 - random()) * 1_000,
      );
    };
    next();
    await clock.advance(170_000);
    return (100 * answered) / asked;
  }

  async function real(seed: number): Promise<number> {
    const server = {
      workers: 4,
      serviceMs: 20,
      troubles: [{ type: 'outage', fromMs: DOWN[0], untilMs: DOWN[1] }] as const,
    };
    const policy = () => ({ throttle: throttle() });
    const world = { clients: 1, requestsPerSecond: 1, durationMs: 170_000, server, policy, seed };
    return percentOf(await run(world), 30_000, 120_000);
  }

  const seeds = Array.from({ length: 20 }, (_, at) => at + 1);
  const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;

  test('a client of ebb does what the rule alone does', async () => {
    const models = await Promise.all(seeds.map(model));
    const reals = await Promise.all(seeds.map(real));
    expect(Math.abs(mean(models) - mean(reals))).toBeLessThan(1.5);
    // What is answered depends little on the seed. With a die for each chance it was 49 to 100 %.
    expect(Math.min(...models, ...reals)).toBeGreaterThan(80);
    expect(mean(reals)).toBeGreaterThan(95);
  }, 60_000);
});

test('200 requests with two 503s each are all answered', async () => {
  const server = {
    workers: 1_000,
    serviceMs: 20,
    troubles: [{ type: 'outage', answer: 'unavailable', fromMs: 0, untilMs: 2_000 }] as const,
  };
  const policy = () => ({ throttle: throttle(), backoff: constant(1_000) });
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
