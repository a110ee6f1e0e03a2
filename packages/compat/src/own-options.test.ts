import { createPolicy, type PolicyOptions, type RequestTraits } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { likeAxiosRetry } from './axios-retry.ts';
import { likeFetchRetry } from './fetch-retry.ts';

/** A call of a policy at its start, and the policy that it goes on with. */
function startOf(options: PolicyOptions, more: object) {
  const request: RequestTraits = {
    ...{ method: 'POST', url: 'https://a.test/', replayable: true, header: () => undefined },
    ...more,
  };
  const call = { policy: createPolicy(options), request };
  options.plugins?.[0]?.started?.(call as never);
  return call;
}

describe('likeAxiosRetry', () => {
  const options = likeAxiosRetry({ retries: 3, retryDelay: () => 7 });

  test.each<[given: object | undefined, maxRetries: number]>([
    [undefined, 3],
    [{ retries: 0 }, 0],
    [{ retries: 5 }, 5],
    [{ retryDelay: () => 1 }, 3],
    [{ retries: 5, retryCount: 2 }, 3],
  ])('a request with %o under axios-retry has %d retries', (given, maxRetries) => {
    const config = { 'axios-retry': given };
    expect(startOf(options, { config }).policy.maxRetries).toBe(maxRetries);
    expect(config['axios-retry']).toMatchObject({
      retryCount: (given as { retryCount?: number })?.retryCount ?? 0,
    });
  });

  test('its functions are those of the request', () => {
    const own = { retryDelay: () => 9, retryCondition: () => false };
    const config = { validateStatus: () => false, 'axios-retry': own };
    const { request } = startOf(options, { config });
    const outcome = { type: 'response', status: 503, header: () => undefined } as const;
    expect(options.classify?.(outcome, request, 1)).toBe('final');
    const step = { previousDelayMs: undefined, random: () => 0, outcome, request };
    expect([1, 2].map((retry) => options.backoff?.({ ...step, retry }))).toEqual([9, 9]);
    expect(config['axios-retry']).toMatchObject({ retryCount: 2 });
  });

  test('an option that ebb cannot follow is an error of the request', () => {
    const config = { 'axios-retry': { validateResponse: () => true } };
    expect(() => startOf(options, { config })).toThrow('axios-retry: validateResponse');
  });
});

describe('likeFetchRetry', () => {
  const options = likeFetchRetry({ retryOn: [503] });

  test.each<[init: object | undefined, maxRetries: number]>([
    [undefined, 3],
    [{ method: 'POST' }, 3],
    [{ retries: 0 }, 0],
    [{ retries: 9 }, 9],
    [{ retries: 1, retryOn: () => false }, Number.MAX_SAFE_INTEGER],
  ])('a request with the init %o has %d retries', (init, maxRetries) => {
    expect(startOf(options, { source: [fetch, '/', init] }).policy.maxRetries).toBe(maxRetries);
  });

  test('options of the client that a request has not hold', () => {
    const { request } = startOf(options, { source: [fetch, '/', { retryDelay: 5 }] });
    const outcome = { type: 'response', status: 503, header: () => undefined } as const;
    expect(options.classify?.(outcome, request, 1)).toBe('transient');
    expect(options.backoff?.({ retry: 1, previousDelayMs: 0, random: () => 0, outcome, request })).toBe(5);
  });
});
