import { afterEach, expect, test, vi } from 'vitest';
import { to } from '../../test/asks.ts';
import { nestedRetriesOf } from './nested-retries.ts';

const requestWith = (headers: Record<string, string>) => to('https://a.test/', headers);

let copies = 0;

test('a program is warned of each library once', async () => {
  copies += 1;
  const copy = `./nested-retries.ts?copy=${copies}`;
  const { nestedRetriesOf } = (await import(copy)) as typeof import('./nested-retries.ts');
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  for (const count of ['1', '2']) nestedRetriesOf(requestWith({ 'x-stainless-retry-count': count }));
  nestedRetriesOf(requestWith({ 'grpc-previous-rpc-attempts': '1' }));
  expect(warned.mock.calls.map(String)).toEqual([
    expect.stringMatching(/^EbbWarning: .*OpenAI.* retries the same requests.*x-stainless-retry-count/),
    expect.stringMatching(/^EbbWarning: a gRPC client retries the same requests.*grpc-previous-rpc-attempts/),
  ]);
});

const STAINLESS = 'the SDK of OpenAI, Anthropic or Cloudflare';

test.each<[header: string, value: string, library: string | undefined]>([
  ['x-stainless-retry-count', '0', undefined],
  ['x-stainless-retry-count', '1', STAINLESS],
  ['x-stainless-retry-count', '12', STAINLESS],
  ['x-stainless-retry-count', '01', undefined],
  ['amz-sdk-request', 'attempt=1; max=3', 'the AWS SDK'],
  ['amz-sdk-request', 'attempt=1; max=2', 'the AWS SDK'],
  ['amz-sdk-request', 'attempt=1; max=10', 'the AWS SDK'],
  ['amz-sdk-request', 'attempt=1; max=1', undefined],
  ['amz-sdk-request', 'attempt=1; max=0', undefined],
  ['amz-sdk-request', 'attempt=1', undefined],
  ['grpc-previous-rpc-attempts', '1', 'a gRPC client'],
  ['grpc-previous-rpc-attempts', '0', undefined],
  ['grpc-previous-rpc-attempts', '-1', undefined],
  ['x-other', '5', undefined],
])('%s: %s', (header, value, library) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  expect(nestedRetriesOf(requestWith({ [header]: value }))).toEqual(library && { header, library });
  for (const [text] of warned.mock.calls) expect(String(text)).toContain(`${library} retries`);
});

afterEach(() => vi.restoreAllMocks());
