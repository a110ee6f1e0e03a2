import { afterEach, expect, test, vi } from 'vitest';
import { constant } from '../backoff/curves.ts';
import { Call } from '../loop/call.ts';
import { judge } from '../loop/judge.ts';
import { createPolicy } from '../loop/policy.ts';
import { prepare } from '../loop/prepare.ts';
import { otherRetriesOf } from './layer.ts';

function requestWith(headers: Record<string, string>) {
  return { method: 'GET', url: 'https://a.test/', replayable: true, header: (name: string) => headers[name] };
}

test('a retry of a request that another library retries is reported, and warned of once', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const types: string[] = [];
  const policy = createPolicy({ backoff: constant(0), onEvent: ({ type }) => types.push(type) });
  for (const count of ['1', '2']) {
    const call = new Call(policy, requestWith({ 'x-stainless-retry-count': count }));
    prepare(call);
    judge(call, { type: 'response', status: 503, header: () => undefined });
  }
  expect(types).toEqual(['attempt', 'other-retries', 'retry', 'attempt', 'other-retries', 'retry']);
  expect(warned).toHaveBeenCalledTimes(1);
  expect(String(warned.mock.calls[0]?.[0])).toMatch(/^EbbWarning: .*OpenAI.*x-stainless-retry-count/);
});

test.each<[header: string, value: string, shows: boolean]>([
  ['x-stainless-retry-count', '0', false],
  ['x-stainless-retry-count', '1', true],
  ['amz-sdk-request', 'attempt=1; max=3', true],
  ['amz-sdk-request', 'attempt=1; max=1', false],
  ['amz-sdk-request', 'attempt=1', false],
  ['grpc-previous-rpc-attempts', '1', true],
  ['x-other', '5', false],
])('%s: %s', (header, value, shows) => {
  expect(otherRetriesOf(requestWith({ [header]: value }))?.header).toBe(shows ? header : undefined);
});

afterEach(() => vi.restoreAllMocks());
