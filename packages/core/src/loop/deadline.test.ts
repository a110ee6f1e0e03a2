import { afterEach, expect, test, vi } from 'vitest';
import { timeoutError } from './deadline.ts';

afterEach(() => vi.unstubAllGlobals());

// React Native has no DOMException of its own: its timer would throw a ReferenceError, and the attempt would never end.
test.each([
  ['as AbortSignal.timeout makes it', DOMException, DOMException],
  ['an Error of that name where there is no DOMException', undefined, Error],
])('the error for a timeout is %s', (_, known, type) => {
  vi.stubGlobal('DOMException', known);
  const error = timeoutError(5);
  expect(error).toBeInstanceOf(type);
  expect([error.name, error.message]).toEqual(['TimeoutError', 'no response within 5 ms']);
});
