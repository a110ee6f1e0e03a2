import { readFileSync } from 'node:fs';
import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  circuitBreaker,
  handleAll,
  type IBreaker,
  SamplingBreaker,
} from 'cockatiel';
import CircuitBreaker from 'opossum';
import { interceptors } from 'undici';
import { afterEach, describe, expect, test, vi } from 'vitest';

const page = readFileSync('docs/breakers.md', 'utf8');

afterEach(() => {
  vi.useRealTimers();
});

const failing = async (): Promise<never> => {
  throw new Error('down');
};

test.each(['opossum', 'cockatiel'])('the page of breakers names the installed %s', (name) => {
  const { version } = JSON.parse(readFileSync(`test/node_modules/${name}/package.json`, 'utf8')) as {
    version: string;
  };
  expect(page).toContain(`| ${name} ${version.split('.')[0]} |`);
  expect(page).toContain(`[${name} ${version}]`);
});

test('undici has no breaker yet', () => {
  expect(Object.keys(interceptors)).not.toContain('circuitBreaker');
});

describe('opossum', () => {
  test('its defaults', () => {
    const breaker = new CircuitBreaker(failing);
    // Its types have neither.
    const { options, volumeThreshold } = breaker as object as {
      options: CircuitBreaker.Options;
      volumeThreshold: number;
    };
    expect({ ...options, volumeThreshold }).toMatchObject({
      errorThresholdPercentage: 50,
      volumeThreshold: 0,
      rollingCountTimeout: 10_000,
      resetTimeout: 30_000,
      timeout: 10_000,
    });
    breaker.shutdown();
  });

  test('opens above half of the calls, and not at half of them', async () => {
    let fails = false;
    const breaker = new CircuitBreaker(async () => (fails ? failing() : undefined));
    await breaker.fire();
    fails = true;
    await expect(breaker.fire()).rejects.toThrow('down');
    expect(breaker.opened).toBe(false);
    await expect(breaker.fire()).rejects.toThrow('down');
    expect(breaker.opened).toBe(true);
    await expect(breaker.fire()).rejects.toMatchObject({ code: 'EOPENBREAKER' });
    breaker.shutdown();
  });

  test('opened by hand it lets one call through after 30 s, and refuses the others', async () => {
    vi.useFakeTimers();
    const held = Promise.withResolvers<string>();
    const breaker = new CircuitBreaker(() => held.promise);
    breaker.open();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(breaker.halfOpen).toBe(true);
    const one = breaker.fire();
    await expect(breaker.fire()).rejects.toMatchObject({ code: 'EOPENBREAKER' });
    held.resolve('fine');
    expect([await one, breaker.closed]).toEqual(['fine', true]);
    breaker.shutdown();
  });
});

describe('cockatiel', () => {
  const breakerOf = (breaker: IBreaker): CircuitBreakerPolicy =>
    circuitBreaker(handleAll, { halfOpenAfter: 1_000, breaker });

  /** How many calls fail until it opens, if nothing else is called meanwhile. */
  async function failuresUntilOpen(breaker: IBreaker): Promise<number> {
    const policy = breakerOf(breaker);
    let failures = 0;
    for (; policy.state === CircuitState.Closed; failures += 1) {
      await policy.execute(failing).catch(() => undefined);
    }
    return failures;
  }

  test.each([
    ['n in a row', new ConsecutiveBreaker(4), 4],
    ['as many calls as its size, above the threshold', new CountBreaker({ threshold: 0.5, size: 8 }), 8],
    ['five failures a second', new SamplingBreaker({ threshold: 0.5, duration: 1_000 }), 10],
  ])('opens after %s', async (_, breaker, failures) => {
    vi.useFakeTimers();
    expect(await failuresUntilOpen(breaker)).toBe(failures);
  });

  test('while it is half-open one call is made, and the others wait for it', async () => {
    vi.useFakeTimers();
    const policy = breakerOf(new ConsecutiveBreaker(1));
    await policy.execute(failing).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    const held = Promise.withResolvers<void>();
    let calls = 0;
    const call = async (): Promise<void> => {
      calls += 1;
      await held.promise;
    };
    const both = [policy.execute(call), policy.execute(call)];
    await vi.advanceTimersByTimeAsync(60_000);
    expect([policy.state, calls]).toEqual([CircuitState.HalfOpen, 1]);
    held.resolve();
    await Promise.all(both);
    expect([policy.state, calls]).toEqual([CircuitState.Closed, 2]);
  });

  test('isolated it stays so until all who isolated it have disposed', () => {
    const policy = breakerOf(new ConsecutiveBreaker(1));
    const [one, other] = [policy.isolate(), policy.isolate()];
    one.dispose();
    expect(policy.state).toBe(CircuitState.Isolated);
    other.dispose();
    expect(policy.state).toBe(CircuitState.Closed);
  });
});
