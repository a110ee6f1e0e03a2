import { expect, test } from 'vitest';
import { requestHeader, responseHeader } from './headers.ts';
import { responseOutcome } from './traits.ts';

test('a response header is one that the response has', () => {
  const headers = { 'retry-after': '1', list: ['a', 'b'] };
  const names = ['retry-after', 'list', 'constructor', 'none'];
  expect(names.map((name) => responseHeader(headers, name))).toEqual(['1', 'a, b', undefined, undefined]);
  expect(responseOutcome(503, headers)).toMatchObject({ type: 'response', status: 503 });
});

test.each<[string, Parameters<typeof requestHeader>[0]]>([
  ['a record', { 'X-One': '1', 'x-two': ['2', '3'], 'x-three': undefined }],
  ['a flat list', ['X-One', '1', 'x-two', '2, 3', 'x-odd']],
  [
    'an iterable',
    new Map([
      ['X-One', '1'],
      ['x-two', '2, 3'],
    ]),
  ],
])('a request header is found in %s', (_, headers) => {
  const names = ['x-one', 'x-two', 'x-three', 'x-odd', 'none'];
  const found = ['1', '2, 3', undefined, undefined, undefined];
  expect(names.map((name) => requestHeader(headers, name))).toEqual(found);
});

test('where there are no request headers, there is none', () => {
  expect([requestHeader(null, 'a'), requestHeader(undefined, 'a')]).toEqual([undefined, undefined]);
});
