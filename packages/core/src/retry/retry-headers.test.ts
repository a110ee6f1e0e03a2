import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { constant } from '../backoff/curves.ts';
import { nextTurn } from '../base/clock.ts';
import { retry } from './retry.ts';

const headers = { 'retry-after': '2' };
const inHeaders = (of: unknown) => ({ status: 503, headers: of });

/** Headers whose lookup fails. */
const broken = { get: throwing(new Error('get cannot be called')) };

/** Where SDKs keep the headers of a response in the error that they throw. */
test.each<[string, object]>([
  ['headers: OpenAI, Anthropic', { status: 503, headers: new Headers(headers) }],
  ['response.headers: axios, octokit', { response: { status: 503, headers } }],
  ['$response.headers: AWS', { $metadata: { httpStatusCode: 503 }, $response: { headers } }],
  ['headers in capitals', inHeaders({ 'Retry-After': '2' })],
  ['headers with a number', inHeaders({ 'Retry-After': 2 })],
  ['headers with a list: Node', inHeaders({ 'retry-after': ['2'] })],
  ['headers with several, of which the longest holds', inHeaders({ 'retry-after': ['1', '2'] })],
  ['response, if its headers cannot be read', { ...inHeaders(broken), response: { headers } }],
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

const thrower = throwing(new Error('it cannot be read'));

test.each<[story: string, members: PropertyDescriptorMap]>([
  ['headers', { headers: { get: thrower } }],
  ['response', { response: { get: thrower } }],
  ['headers.get', { headers: { value: { get: thrower } } }],
  ['headers.get itself', { headers: { value: Object.defineProperty({}, 'get', { get: thrower }) } }],
  ['a value in headers', { headers: { value: { 'retry-after': { toString: thrower } } } }],
  ['all of headers', { headers: { value: new Proxy({}, { get: thrower, ownKeys: thrower }) } }],
])('an error that throws when %s is read is thrown itself', async (_, members) => {
  const error = Object.defineProperties(Object.assign(new Error('down'), { status: 503 }), members);
  let calls = 0;
  const thrown = await retry(
    () => {
      calls += 1;
      throw error;
    },
    { backoff: constant(0), maxRetries: 2 },
  ).catch((found: unknown) => found);
  expect(thrown).toBe(error);
  expect(calls).toBe(3);
});
