import { type CallView, type Outcome, type Permit, type RequestTraits, retry } from '@ebb/core';
import { createPolicy, decide } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { type AwsStandardOptions, awsStandard } from './aws-standard.ts';
import { awsRetryQuota } from './retry-quota.ts';

const request = (target?: string): RequestTraits => ({
  method: 'GET',
  url: 'https://sqs.eu-west-1.amazonaws.com/',
  replayable: true,
  header: (name) => (name === 'x-amz-target' ? target : undefined),
});

const response = (status: number, headers: Record<string, string> = {}): Outcome => ({
  type: 'response',
  status,
  header: (name) => headers[name],
});

const reset: Outcome = { type: 'failure', kind: 'network', error: new Error('ECONNRESET') };

/** A quarter of the longest delay is drawn. The delay before the attempt that follows, or why there is none. */
function after(attempt: number, outcome: Outcome, options: AwsStandardOptions = {}): number | string {
  const policy = createPolicy({ ...awsStandard(options), random: () => 0.25 });
  const decision = decide(
    policy,
    { request: request(), attempt, previousBackoffMs: undefined, startedAtMs: 0 },
    outcome,
    0,
  );
  return decision.retry ? decision.delayMs : decision.reason;
}

const dynamodb = { dynamodb: true };

test.each<[what: string, expected: number | string, attempt: number, Outcome, options?: AwsStandardOptions]>([
  ['the first delay', 12, 1, response(500)],
  ['the second delay', 25, 2, reset],
  ['the third attempt is the last', 'retries-exhausted', 3, response(500)],
  ['the first delay of DynamoDB', 6, 1, response(500), dynamodb],
  ['the fourth attempt of DynamoDB is the last', 'retries-exhausted', 4, response(500), dynamodb],
  ['throttling', 250, 1, response(429)],
  ['a wait that is asked for', 800, 1, response(503, { 'x-amz-retry-after': '800' })],
  [
    'one that is too long: five seconds more than the delay',
    5_012,
    1,
    response(503, { 'retry-after': '60' }),
  ],
  ['an hour of throttling', 5_250, 1, response(429, { 'x-amz-retry-after': '3600000' })],
  ['what another request would break', 'final', 1, response(400)],
])('%s: %s', (_, expected, attempt, outcome, options) => {
  expect(after(attempt, outcome, options)).toBe(expected);
});

test('no delay is longer than 20 s', () => {
  const { backoff } = createPolicy(awsStandard());
  const step = { retry: 12, previousDelayMs: undefined, random: () => 0.5 };
  expect(backoff({ ...step, outcome: response(500) })).toBe(10_000);
});

test('a POST is repeated after a refusal, and if the user allows it', () => {
  const given = {
    request: { ...request(), method: 'POST' },
    attempt: 1,
    previousBackoffMs: undefined,
    startedAtMs: 0,
  };
  const isRetried = (options: AwsStandardOptions, status: number): boolean =>
    decide(createPolicy(awsStandard(options)), given, response(status), 0).retry;
  expect([isRetried({}, 500), isRetried({}, 429)]).toEqual([false, true]);
  expect(isRetried({ repeatPosts: true }, 500)).toBe(true);
});

describe('the retry quota', () => {
  const call = (target?: string): CallView => ({ request: request(target) }) as CallView;
  const slowDown: Outcome = { ...response(503), advice: { verdict: 'refused' } };
  function plan(
    quota: ReturnType<typeof awsRetryQuota>,
    outcome: Outcome,
    of = call(),
  ): Permit | string | undefined {
    const permit = quota.take?.(of, undefined) as Permit | undefined;
    permit?.settle?.(outcome);
    return quota.planRetry?.(of, { reason: 'refused', delayMs: 0 });
  }

  test('a success returns the cost of the last retry, or adds one', () => {
    const quota = awsRetryQuota();
    const one = call();
    plan(quota, reset, one);
    plan(quota, slowDown, one);
    quota.ended?.(one, 'success');
    expect(quota.tokens).toBe(486);
    quota.ended?.(call(), 'success');
    expect(quota.tokens).toBe(487);
    quota.ended?.(call(), 'final');
    expect(quota.tokens).toBe(487);
    for (let time = 0; time < 20; time += 1) quota.ended?.(call(), 'success');
    expect(quota.tokens).toBe(500);
  });

  test('a retry that is not sent is paid back, and the success after it returns the cost of the one before', () => {
    const quota = awsRetryQuota();
    const [one, other] = [call(), call()];
    plan(quota, slowDown, one);
    (plan(quota, reset, one) as Permit).cancel();
    (plan(quota, reset, other) as Permit).cancel();
    expect(quota.tokens).toBe(495);
    for (const each of [one, other]) quota.ended?.(each, 'success');
    expect(quota.tokens).toBe(500);
    plan(quota, reset);
    quota.ended?.(other, 'success');
    expect(quota.tokens).toBe(487);
  });

  test.each([
    'AmazonSQS.ReceiveMessage',
    'AWSStepFunctions.GetActivityTask',
    'SimpleWorkflowService.PollForActivityTask',
    'SimpleWorkflowService.PollForDecisionTask',
  ])('%s waits and asks again, also without tokens', (target) => {
    const quota = awsRetryQuota();
    while (plan(quota, slowDown) !== 'budget-exhausted');
    expect(plan(quota, reset, call(target))).toBeUndefined();
    expect(plan(quota, reset, call('AmazonSQS.SendMessage'))).toBe('budget-exhausted');
    expect(quota.tokens).toBe(0);
  });
});

test.each<[what: string, error: object, retries: number]>([
  ['a connection that breaks takes 14', { code: 'ECONNRESET' }, 35],
  ['a refused connection takes 14, although nothing was sent', { code: 'ECONNREFUSED' }, 35],
  ['throttling takes 5', { status: 429 }, 100],
])('all calls of a policy share its quota of 500: %s', async (_, error, retries) => {
  const clock = virtualClock();
  const policy = createPolicy({ ...awsStandard(), clock });
  let attempts = 0;
  const down = async (): Promise<void> => {
    attempts += 1;
    throw Object.assign(new Error('down'), error);
  };
  for (let calls = 0; calls < 60; calls += 1)
    await clock.runUntilSettled(retry(down, policy)).catch(() => undefined);
  expect(attempts).toBe(60 + retries);
});
