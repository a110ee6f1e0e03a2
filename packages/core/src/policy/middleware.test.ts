import { expect, test } from 'vitest';
import { inOrder, type Middleware } from './middleware.ts';

test('middleware that sends the call itself stands within all others, which keep their order', () => {
  const outer: Middleware = (_, next) => next();
  const sends = Object.assign(((_, next) => next()) as Middleware, { isInnermost: true });
  const inner: Middleware = (_, next) => next();
  expect(inOrder([sends, outer, inner])).toEqual([outer, inner, sends]);
  expect(inOrder([outer, sends, inner]).map((one) => [outer, inner, sends].indexOf(one))).toEqual([0, 1, 2]);
});
