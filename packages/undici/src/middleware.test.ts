import { expect, test } from 'vitest';
import { get, setUp } from '../test/relay.ts';
import { ebbInterceptor } from './index.ts';

const refused = /^middleware: a dispatcher has no result to return/;
const middleware = [() => 1];

test('a policy with middleware is refused at once', () => {
  expect(() => ebbInterceptor({ middleware })).toThrow(refused);
});

test('options of a request with middleware are refused by the request', () => {
  const { wire, spy, dispatch } = setUp();
  dispatch({ ...get, ebb: { middleware } }, spy);
  expect(String((spy.error as Error).message)).toMatch(refused);
  expect(wire.attempts).toHaveLength(0);
});
