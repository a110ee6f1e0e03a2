import { attemptsOf, constant, createPolicy, retryBudget, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  ConstantBackoff,
  circuitBreaker,
  decorrelatedJitterGenerator,
  ExponentialBackoff,
  fullJitterGenerator,
  type GeneratorFn,
  halfJitterGenerator,
  handleAll,
  handleWhen,
  handleWhenResult,
  noJitterGenerator,
  retry,
} from 'cockatiel';
import CircuitBreaker from 'opossum';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { upstream } from '../server.ts';

afterEach(() => {
  vi.useRealTimers();
});

const failing = async (): Promise<never> => {
  throw new Error('down');
};

const isFailure = (result: unknown): boolean => result instanceof Response && result.status >= 500;

describe('opossum', () => {
  test('opens after the first failure, and lets nothing through for 30 s', async () => {
    vi.useFakeTimers();
    let calls = 0;
    const breaker = new CircuitBreaker(async () => {
      calls += 1;
      return failing();
    });
    await breaker.fire().catch(() => undefined);
    expect(breaker.opened).toBe(true);
    await vi.advanceTimersByTimeAsync(29_900);
    await expect(breaker.fire()).rejects.toThrow('Breaker is open');
    expect(calls).toBe(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(breaker.halfOpen).toBe(true);
    breaker.shutdown();
  });

  test('does not see a 503: for fetch it is a value', async () => {
    const breaker = new CircuitBreaker(async () => new Response(null, { status: 503 }));
    for (let n = 0; n < 5; n += 1) expect((await breaker.fire()).status).toBe(503);
    expect(breaker.closed).toBe(true);
    breaker.shutdown();
  });

  test('rejects after 10 s, and the function goes on', async () => {
    vi.useFakeTimers();
    let ended = false;
    const breaker = new CircuitBreaker(async () => {
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      ended = true;
    });
    const call = breaker.fire().catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await call).toBe('Timed out after 10000ms');
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ended).toBe(true);
    breaker.shutdown();
  });
});

describe('cockatiel', () => {
  test('retries without an end and without a wait by default', async () => {
    let calls = 0;
    const call = retry(handleAll, {}).execute(async () => {
      calls += 1;
      if (calls < 1_000) throw new Error('down');
      return calls;
    });
    expect(await call).toBe(1_000);
  });

  test('an abort during a wait ends neither the wait nor the retries', async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const seen: boolean[] = [];
    const policy = retry(handleAll, { maxAttempts: 1, backoff: new ConstantBackoff(60_000) });
    const call = policy.execute(async ({ signal }) => {
      seen.push(signal.aborted);
      return failing();
    }, controller.signal);
    const end = call.catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    await vi.advanceTimersByTimeAsync(59_000);
    expect(seen).toEqual([false]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await end, seen]).toEqual(['down', [false, true]]);
  });

  test('`exponent` is used by the default generator only', () => {
    const durations = <S>(generator: GeneratorFn<S>, exponent: number) => {
      vi.spyOn(Math, 'random').mockReturnValue(0.5);
      const options = { generator, exponent, initialDelay: 100, maxDelay: 1e9 };
      let backoff = new ExponentialBackoff(options).next();
      const delays = [backoff.duration];
      for (let n = 0; n < 3; n += 1) {
        backoff = backoff.next(undefined);
        delays.push(backoff.duration);
      }
      vi.restoreAllMocks();
      return delays;
    };
    expect(durations(noJitterGenerator, 3)).toEqual(durations(noJitterGenerator, 2));
    expect(durations(noJitterGenerator, 3)).toEqual([100, 200, 400, 800]);
    expect(durations(decorrelatedJitterGenerator, 3)).not.toEqual(durations(decorrelatedJitterGenerator, 2));
    for (const generator of [fullJitterGenerator, halfJitterGenerator]) {
      expect(durations(generator, 3)).toEqual(durations(generator, 2));
    }
  });

  test('a bulkhead has no queue by default', async () => {
    const policy = bulkhead(1);
    const held = Promise.withResolvers<void>();
    const one = policy.execute(() => held.promise);
    await expect(policy.execute(failing)).rejects.toThrow(BulkheadRejectedError);
    held.resolve();
    await one;
  });

  test('a bulkhead gives the place away when the headers are there', async () => {
    const server = await upstream(['held-200']);
    const policy = bulkhead(1, 10);
    try {
      const one = await policy.execute(() => fetch(server.url));
      const two = await policy.execute(() => fetch(server.url));
      expect(server.underWay()).toBe(2);
      server.letGo();
      await Promise.all([one.text(), two.text()]);
    } finally {
      await server.close();
    }
  });
});

describe('a breaker of cockatiel and a client of ebb', () => {
  const breakerOf = () =>
    circuitBreaker(handleAll.orWhenResult(isFailure), {
      halfOpenAfter: 30_000,
      breaker: new ConsecutiveBreaker(2),
    });
  const policy = createPolicy({ maxRetries: 5, backoff: constant(0) });

  test('around the client it counts requests, each after its retries', async () => {
    const server = await upstream([{ status: 503 }]);
    const breaker = breakerOf();
    const client = createFetch(policy);
    try {
      for (let n = 0; n < 2; n += 1) {
        const response = await breaker.execute(({ signal }) => client(server.url, { signal }));
        expect(attemptsOf(response)).toHaveLength(6);
      }
      await expect(breaker.execute(() => client(server.url))).rejects.toThrow(BrokenCircuitError);
      expect(server.seen).toHaveLength(12);
    } finally {
      await server.close();
    }
  });

  test('below the client it counts attempts, and ends the retries when it opens', async () => {
    const server = await upstream([{ status: 503 }]);
    const breaker = breakerOf();
    const client = createFetch(policy, (input, init) => breaker.execute(() => fetch(input, init)));
    try {
      const error = await client(server.url).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(BrokenCircuitError);
      expect(attemptsOf(error).map(({ reason }) => reason)).toEqual(['transient', 'transient', 'final']);
      expect(server.seen).toHaveLength(2);
    } finally {
      await server.close();
    }
  });
});

test('a connection that is refused costs no token, and a response does', async () => {
  const server = await upstream([{ status: 500 }]);
  const bucket = tokenBucket({ refillPerSecond: 0.001, capacity: 5 });
  const client = createFetch({ maxRetries: 0, bucket });
  await client(server.url);
  expect(Math.floor(bucket.stats().tokens)).toBe(4);
  await server.close();
  await expect(client(server.url)).rejects.toThrow('fetch failed');
  expect(Math.floor(bucket.stats().tokens)).toBe(4);
});

test('a budget limits retries, and no first attempt', async () => {
  const server = await upstream([{ status: 503 }]);
  const client = createFetch({ maxRetries: 5, backoff: constant(0), budget: retryBudget() });
  try {
    for (let n = 0; n < 100; n += 1) await client(server.url);
    expect(server.seen).toHaveLength(103);
  } finally {
    await server.close();
  }
});

test('an abort by the caller is a failure to handleAll, and none to a filter by its name', async () => {
  const client = createFetch({ maxRetries: 0 });
  const states = [handleAll, handleWhen((error) => (error as Error).name !== 'AbortError')].map(
    async (filter) => {
      const breaker = circuitBreaker(filter.orWhenResult(isFailure), {
        halfOpenAfter: 30_000,
        breaker: new ConsecutiveBreaker(1),
      });
      const signal = AbortSignal.abort();
      const call = breaker.execute(() => client('http://127.0.0.1:1/', { signal }));
      await expect(call).rejects.toThrow();
      return breaker.state;
    },
  );
  expect(await Promise.all(states)).toEqual([CircuitState.Open, CircuitState.Closed]);
});

test('a filter by result alone lets a broken connection pass as a success', async () => {
  const breaker = circuitBreaker(handleWhenResult(isFailure), {
    halfOpenAfter: 30_000,
    breaker: new ConsecutiveBreaker(1),
  });
  for (let n = 0; n < 5; n += 1) await expect(breaker.execute(failing)).rejects.toThrow('down');
});
