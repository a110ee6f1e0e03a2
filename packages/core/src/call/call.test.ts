import { describe, expect, test } from 'vitest';
import { judge, prepare } from '../../test/steps.ts';
import { constant } from '../backoff/curves.ts';
import { NotSentError } from '../base/errors.ts';
import type { EbbEvent } from '../events/events.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import { tokenBucket } from '../limits/bucket/token-bucket.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { createPolicy } from '../policy/policy.ts';
import { virtualClock } from '../testing.ts';
import { Call } from './call.ts';
import { discardMsOf } from './transport.ts';

const request: RequestTraits = {
  method: 'GET',
  url: 'https://upstream.test/',
  replayable: true,
  header: () => undefined,
};
const responds = (status: number): Outcome => ({ type: 'response', status, header: () => undefined });

function setUp(options: PolicyOptions = {}, clock = virtualClock({ startMs: 0 })) {
  const events: EbbEvent[] = [];
  const onEvent = (event: EbbEvent): void => void events.push(event);
  const policy = createPolicy({ clock, random: () => 0, backoff: constant(1_000), onEvent, ...options });
  const call = new Call(policy, request);
  return { clock, events, call, last: () => events.at(-1) };
}

describe('a response that is retried is read', () => {
  test('for a second', () => {
    expect(discardMsOf(setUp().call)).toBe(1_000);
  });

  test('for half of the rest of the total timeout, if that is less', () => {
    const { call, clock } = setUp({ totalTimeoutMs: 1_600 });
    expect(discardMsOf(call)).toBe(800);
    clock.tick(1_000);
    expect(discardMsOf(call)).toBe(300);
    clock.tick(1_000);
    expect(discardMsOf(call)).toBe(0);
  });
});

test('a retry at the end of the total timeout is sent', async () => {
  const { call, clock, last } = setUp({ totalTimeoutMs: 1_000 });
  prepare(call);
  expect(judge(call, responds(503)).retry).toBe(true);
  const ready = prepare(call);
  await clock.advance(1_000);
  expect(await ready).toBe(true);
  expect(last()).toMatchObject({ type: 'attempt', attempt: 2, atMs: 1_000 });
});

describe('before the first attempt', () => {
  test('an abort goes before a refusal of a limit of one’s own at the same time', async () => {
    const controller = new AbortController();
    const acquire = (): Promise<never> => {
      controller.abort('enough');
      return Promise.reject(new NotSentError('refused'));
    };
    const { call, last } = setUp({ limits: [{ name: 'own', take: () => ({ acquire }) }] });
    await expect(prepare(call, controller.signal)).rejects.toBe('enough');
    expect(last()).toMatchObject({ type: 'end', reason: 'aborted' });
  });
});

test('a failure whose request within was repeated is recorded, and is the end', () => {
  const clock = virtualClock();
  const bucket = tokenBucket({ refillPerSecond: 1, capacity: 5, clock });
  const { call, last } = setUp({ bucket }, clock);
  prepare(call);
  call.judgedWithin(responds(503));
  expect(call.history).toMatchObject([{ status: 503, reason: 'inner-client-retried' }]);
  expect(last()).toMatchObject({ type: 'end', reason: 'inner-client-retried', outcome: { status: 503 } });
});
