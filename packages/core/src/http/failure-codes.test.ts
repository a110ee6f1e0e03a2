import { describe, expect, test } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { codeIn, neverSent } from './failure.ts';
import type { Outcome } from './outcome.ts';

const coded = (code: unknown, rest: object = {}): Error =>
  Object.assign(new TypeError('x'), { code, ...rest });

/** An error in so many others. */
function within(depth: number, error: unknown): unknown {
  return depth === 0 ? error : new TypeError('x', { cause: within(depth - 1, error) });
}

function ring(): Error {
  const error = new TypeError('x');
  error.cause = error;
  return error;
}

/** An error whose code throws when it is looked at. */
const broken = Object.defineProperty(new Error('broken'), 'code', { get: throwing() });

describe('what a log has as the code of an error', () => {
  test.each<[story: string, error: unknown, code: string | undefined]>([
    ['its code', coded('ECONNRESET'), 'ECONNRESET'],
    ['with any character of an identifier', coded('a.b-c_1'), 'a.b-c_1'],
    ['the code of its cause', within(1, coded('ENOTFOUND')), 'ENOTFOUND'],
    ['its own rather than that of its cause', coded('EPIPE', { cause: coded('ENOTFOUND') }), 'EPIPE'],
    ['the code of a deep cause', within(7, coded('ENOTFOUND')), 'ENOTFOUND'],
    ['its name, if the cause is too deep', within(8, coded('ENOTFOUND')), 'TypeError'],
    ['its name, if its causes are a ring', ring(), 'TypeError'],
    ['its name without a code', new RangeError('x'), 'RangeError'],
    ['its name, if its cause is nothing', new TypeError('x', { cause: null }), 'TypeError'],
    ['its name, if its cause is a text', new TypeError('x', { cause: 'ECONNRESET' }), 'TypeError'],
    ['its name, if its code throws when it is looked at', broken, 'Error'],
    ['its name beside a number', coded(5), 'TypeError'],
    ['its name beside a text that may be a secret', coded('https://a.test/?key=5'), 'TypeError'],
    ['its name beside a text that begins as a code', coded('E?key=5'), 'TypeError'],
    ['its name beside a text that ends as a code', coded('?key=5'), 'TypeError'],
    ['a code of 64 characters', coded('E'.repeat(64)), 'E'.repeat(64)],
    ['its name beside a longer one', coded('E'.repeat(65)), 'TypeError'],
    ['the code of what is no error', { code: 'E' }, 'E'],
    ['nothing, if its name is a text', Object.assign(new Error('x'), { name: 'my own' }), undefined],
    ['nothing of the name of what is no error', { name: 'Mine' }, undefined],
    ['nothing of a text', 'ECONNRESET', undefined],
    ['nothing of nothing', undefined, undefined],
    ['nothing of null', null, undefined],
  ])('%s', (_, error, code) => {
    expect(codeIn(error)).toStrictEqual(code === undefined ? {} : { code });
  });
});

const connect = { type: 'failure', kind: 'connect', error: 0 } as const;

test.each<[story: string, outcome: Outcome, isUnsent: boolean]>([
  ['a connect without a redirect', { ...connect, redirected: false }, true],
  ['one that may follow a redirect', connect, false],
  ['one after a redirect', { ...connect, redirected: true }, false],
  ['a broken connection', { ...connect, kind: 'network', redirected: false }, false],
  ['a response', { type: 'response', status: 503, header: () => undefined, redirected: false }, false],
  // As an adapter in JavaScript may make it.
  ['a response like a failure', { type: 'response', kind: 'connect', redirected: false } as never, false],
])('certain to have reached no server: %s', (_, outcome, isUnsent) => {
  expect(neverSent(outcome)).toBe(isUnsent);
});
