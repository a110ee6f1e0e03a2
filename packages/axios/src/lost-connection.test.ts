import { expect, test } from 'vitest';
import { isLostConnection } from './lost-connection.ts';

const LOST = new TypeError('Load failed');

test.each<[story: string, error: unknown, isLost: boolean]>([
  ['a TypeError of a request', { cause: LOST, request: {} }, true],
  ['a TypeError without a request, as for a wrong URL', { cause: LOST }, false],
  ['another error of a request', { cause: new RangeError('Load failed'), request: {} }, false],
  ['an error without a cause', { request: {} }, false],
  ['nothing', undefined, false],
])('a lost connection in a browser: %s', (_, error, isLost) => {
  expect(isLostConnection(error)).toBe(isLost);
});
