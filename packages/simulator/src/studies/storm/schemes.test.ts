import { createPolicy, type Outcome, type Policy } from '@ebb/core';
import { decide, forRequest } from '@ebb/core/adapter';
import { seededRandom } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import type { ClientFactory, CustomClient } from '../../scenario/client-options.ts';
import { finagle, grpcA6, sreThrottling } from './schemes.ts';

function answer(status: number): Outcome {
  return { type: 'response', status, header: () => undefined };
}

/** A client of a scheme, with a manual clock. */
function setUp(scheme: ClientFactory) {
  const environment = {
    clock: {
      nowMs: 0,
      now() {
        return this.nowMs;
      },
      schedule: () => () => {},
    },
    random: seededRandom(1),
  };
  const client: CustomClient = scheme(environment);
  const policy: Policy = createPolicy({ ...client.policy, ...environment });
  const request = {
    method: 'GET',
    url: 'https://service.example/',
    replayable: true,
    header: () => undefined,
  };

  /** Sends a request until it succeeds or is given up, and returns the number of attempts. */
  const send = (statusOf: (attempt: number) => number): number => {
    client.onRequest?.();
    for (let attempt = 1; ; attempt += 1) {
      if (client.admit?.() === false) return attempt - 1;
      const outcome = answer(statusOf(attempt));
      client.onOutcome?.(outcome, attempt);
      const budget = policy.budget && forRequest(policy.budget, request, policy.key);
      const permit = () => (budget?.withdraw() === false ? 'budget-exhausted' : undefined);
      const progress = { request, attempt, startedAtMs: 0, previousBackoffMs: undefined, permit };
      const { retry, reason } = decide(policy, progress, outcome, environment.clock.nowMs);
      if (reason === 'success') budget?.deposit();
      if (!retry) return attempt;
    }
  };
  return { send, client, clock: environment.clock, policy };
}

describe('gRPC A6', () => {
  test('makes four attempts, and no retries after five failures in all', () => {
    const { send } = setUp(grpcA6);
    // The fifth failure leaves 5 of 10 tokens, which is the lower half.
    expect([send(() => 503), send(() => 503), send(() => 503)]).toEqual([4, 1, 1]);
  });

  test('retries again after ten successes for each failure', () => {
    const { send } = setUp(grpcA6);
    for (let time = 0; time < 3; time += 1) send(() => 503);
    for (let success = 0; success < 20; success += 1) expect(send(() => 200)).toBe(1);
    expect(send(() => 503)).toBe(1);
    for (let success = 0; success < 31; success += 1) send(() => 200);
    expect(send(() => 503)).toBeGreaterThan(1);
  });
});

describe('Finagle', () => {
  test('has a reserve of 100 retries, at most 20 for each request', () => {
    const { send } = setUp(finagle);
    const sent = Array.from({ length: 10 }, () => send(() => 503));
    expect(sent.slice(0, 4)).toEqual([21, 21, 21, 21]);
    const retries = sent.reduce((sum, count) => sum + count - 1, 0);
    // The hundred, and a fifth of the ten requests.
    expect(retries).toBe(102);
  });

  test('gets its reserve back after ten seconds', () => {
    const { send, clock } = setUp(finagle);
    for (let time = 0; time < 10; time += 1) send(() => 503);
    clock.nowMs = 5_000;
    expect(send(() => 503)).toBe(1);
    clock.nowMs = 11_000;
    expect(send(() => 503)).toBe(21);
  });
});

describe('Google’s clients', () => {
  test('send almost every request while more than half of them succeed', () => {
    const { send } = setUp(sreThrottling);
    let sent = 0;
    for (let time = 0; time < 1_000; time += 1) sent += send(() => (time % 4 === 0 ? 503 : 200)) >= 1 ? 1 : 0;
    expect(sent).toBeGreaterThan(930);
  });

  test('refuse most requests themselves when none succeeds', () => {
    const { send } = setUp(sreThrottling);
    let sent = 0;
    for (let time = 0; time < 1_000; time += 1) sent += send(() => 503);
    expect(sent).toBeLessThan(50);
  });

  test('send again two minutes after the failures', () => {
    const { send, clock } = setUp(sreThrottling);
    for (let time = 0; time < 1_000; time += 1) send(() => 503);
    clock.nowMs = 130_000;
    expect(send(() => 200)).toBe(1);
  });

  test('retry at most a tenth of the requests', () => {
    const { send } = setUp(sreThrottling);
    let retries = 0;
    for (let time = 0; time < 1_000; time += 1)
      retries += Math.max(0, send(() => (time % 4 === 0 ? 503 : 200)) - 1);
    expect(retries).toBeGreaterThan(80);
    expect(retries).toBeLessThanOrEqual(115);
  });
});
