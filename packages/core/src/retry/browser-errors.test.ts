import { expect, test } from 'vitest';
import { isBrowserFailure } from './browser-errors.ts';

test.each<[story: string, error: unknown, isLost: boolean]>([
  ['Chrome', new TypeError('Failed to fetch'), true],
  ['Chrome, with its host', new TypeError('Failed to fetch (api.example.com)'), true],
  ['Chrome, in the body', new TypeError('network error'), true],
  ['Firefox', new TypeError('NetworkError when attempting to fetch resource.'), true],
  ['Firefox, in the body', new TypeError('Error in body stream'), true],
  ['Firefox, in the body that is read in parts', new TypeError('Error in input stream'), true],
  ['Safari', new TypeError('Load failed'), true],
  ['Safari, with its host', new TypeError('Load failed (api.example.com)'), true],
  ['Safari, offline', new TypeError('The Internet connection appears to be offline.'), true],
  ['Safari, lost', new TypeError('The network connection was lost.'), true],
  ['Safari, timed out', new TypeError('The request timed out.'), true],
  ['Safari, no such host', new TypeError('A server with the specified hostname could not be found.'), true],
  ['React Native', new TypeError('Network request failed'), true],
  ['React Native, timed out', new TypeError('Network request timed out'), true],
  ['msw', new TypeError('Failed to fetch', { cause: Response.error() }), true],
  ['nock, of a redirect', new TypeError('Failed to fetch', { cause: 'unexpected redirect' }), false],
  ['one that says why', new TypeError('Failed to fetch', { cause: new Error('no') }), false],
  ['a mistake', new TypeError("cannot read 'network'"), false],
  ['another error with the words', new Error('Failed to fetch'), false],
  ['no error', { name: 'TypeError', message: 'Failed to fetch' }, false],
])('the failure of a browser: %s', (_, error, isLost) => {
  expect(isBrowserFailure(error)).toBe(isLost);
});
