import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { nextTurn } from '../base/clock.ts';
import { constant } from '../policy/backoff/curves.ts';
import { retry } from './retry.ts';

const headers = { 'retry-after': '2' };

/** Where SDKs keep the headers of a response in the error that they throw. */
test.each<[string, object]>([
  ['headers: OpenAI, Anthropic', { status: 503, headers: new Headers(headers) }],
  ['response.headers: axios, octokit', { response: { status: 503, headers } }],
  ['$response.headers: AWS', { $metadata: { httpStatusCode: 503 }, $response: { headers } }],
])('the Retry-After of an error is read from its %s', async (_, members) => {
  const clock = virtualClock({ startMs: 0 });
  const startedAtMs: number[] = [];
  const call = (): string => {
    startedAtMs.push(clock.now());
    if (startedAtMs.length === 1) throw Object.assign(new Error('down'), members);
    return 'up';
  };
  const result = retry(call, { clock, backoff: constant(0), random: () => 0 });
  await nextTurn();
  await clock.advance(1_999);
  expect(startedAtMs).toEqual([0]);
  await clock.advance(1);
  expect(await result).toBe('up');
  expect(startedAtMs).toEqual([0, 2_000]);
});
