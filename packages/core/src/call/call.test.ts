import { describe, expect, test } from 'vitest';
import { callTo, response } from '../../test/call-with-limits.ts';
import { judge, prepare } from '../../test/steps.ts';
import { constant } from '../backoff/curves.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { discardMsOf } from './transport.ts';

const setUp = (options: PolicyOptions = {}) => {
  const made = callTo({ backoff: constant(1_000), ...options });
  return { ...made, last: () => made.events.at(-1) };
};

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
  expect(judge(call, response(503)).retry).toBe(true);
  const ready = prepare(call);
  await clock.advance(1_000);
  expect(await ready).toBe(true);
  expect(last()).toMatchObject({ type: 'attempt', attempt: 2, atMs: 1_000 });
});
