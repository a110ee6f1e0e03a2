import { expect, test } from 'vitest';
import { isNetworkError } from './network-error.ts';

test.each<[isOne: boolean, messages: string[]]>([
  [
    true,
    [
      'network error',
      'NetworkError when attempting to fetch resource.',
      'The Internet connection appears to be offline.',
      'Network request failed',
      'fetch failed',
      'terminated',
      ' A network error occurred.',
      'Network connection lost',
      'Failed to fetch',
      'Failed to fetch (a.test)',
      'error sending request for url',
      'error sending request for url (https://a.test/): error trying to connect',
    ],
  ],
  [
    false,
    [
      ...['', 'fetch failed.', 'the fetch failed', 'unterminated', 'terminated by hand', 'network errors'],
      ...['Failed to fetch a.test', 'Failed to fetch ()x', 'an error sending request for url'],
      ...['A network error occurred.', 'Network connection lost.', 'x is not a function'],
      // Those of Safari have no stack.
      ...['Load failed', 'Load failed (a.test)'],
    ],
  ],
])('%s: a lost connection', (isOne, messages) => {
  for (const message of messages) {
    expect([message, isNetworkError(new TypeError(message))]).toEqual([message, isOne]);
    expect(isNetworkError(Object.assign(new TypeError(message), { name: 'Error' }))).toBe(false);
  }
});

test.each<[message: string, more: object, isOne: boolean]>([
  ['Load failed', { stack: undefined }, true],
  ['Load failed (a.test)', { stack: undefined }, true],
  ['Load failed', { __sentry_captured__: true }, true],
  ['Load failed', {}, false],
  ['Load failed.', { stack: undefined }, false],
  ['A Load failed', { stack: undefined }, false],
  ['Load failed a.test', { stack: undefined }, false],
])('Safari: %s with %o is %s', (message, more, isOne) => {
  expect(isNetworkError(Object.assign(new TypeError(message), more))).toBe(isOne);
});
