import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { REQUEST } from '../../test/call-with-limits.ts';
import { throwing } from '../../test/throwing.ts';
import { HookError } from '../base/errors.ts';
import type { CallView } from '../policy/call-view.ts';
import type { HeaderChanges, KeptKey, NextAttempt } from '../policy/hooks.ts';
import { createPolicy } from '../policy/policy.ts';
import { headerChangesOf, headersNow, keyOf } from './header-changes.ts';

const request = { ...REQUEST, method: 'POST' };
const next: NextAttempt = { attempt: 1, request, previous: undefined, leftMs: undefined };

const changes = (made: unknown, key?: KeptKey) =>
  headerChangesOf(createPolicy({ beforeAttempt: () => made as never }), next, key, {} as CallView);

/** Headers of another library: the same methods, another class. */
class OtherHeaders {
  append(): void {}
  *[Symbol.iterator]() {
    yield ['x-a', '1'];
  }
}

test.each<[story: string, made: unknown, changes: object | undefined]>([
  ['an object', { 'X-A': '1', 'x-b': undefined }, { 'X-A': '1', 'x-b': undefined }],
  ['an object without a prototype', Object.assign(Object.create(null), { a: '1' }), { a: '1' }],
  ['an empty object', {}, {}],
  ['one of another realm', runInNewContext('({})'), {}],
  ['Headers', new Headers({ 'X-A': '1' }), { 'x-a': '1' }],
  ['empty Headers', new Headers(), {}],
  [
    'pairs',
    [
      ['X-A', '1'],
      ['x-b', undefined],
    ],
    { 'x-a': '1', 'x-b': undefined },
  ],
  ['no pairs', [], {}],
  ['names that begin or end as a member', { 'x-url': '1', 'body-id': '2' }, { 'x-url': '1', 'body-id': '2' }],
  ['pairs of another realm', runInNewContext("[['x-a', '1']]"), { 'x-a': '1' }],
  [
    'a name that is repeated',
    [
      ['x-a', '1'],
      ['X-A', '2'],
    ],
    { 'x-a': '1, 2' },
  ],
  [
    'a name that is removed and set',
    [
      ['x-a', undefined],
      ['X-A', '2'],
    ],
    { 'x-a': '2' },
  ],
  ['undefined', undefined, undefined],
  ['null', null, undefined],
])('beforeAttempt may return %s', async (_, made, expected) => {
  expect(changes(made)).toEqual(expected);
  expect(await changes(Promise.resolve(made))).toEqual(expected);
});

test('of a header the later change holds, however its name is written', () => {
  const plugins = [
    { name: 'first', publicHeaders: () => ({ 'X-A': 'public' }) },
    { name: 'second', beforeAttempt: () => ({ 'X-A': 'plugin' }) },
  ];
  const policy = createPolicy({ beforeAttempt: () => ({ 'x-a': 'option' }), plugins });
  expect(headerChangesOf(policy, next, undefined, {} as CallView)).toEqual({ 'X-A': 'plugin' });
});

test('a hook may reject before another one throws', async () => {
  const throws = throwing(new Error('second'));
  const plugins = [
    { name: 'first', beforeAttempt: () => Promise.reject(new Error('first')) },
    { name: 'second', beforeAttempt: throws },
  ];
  const policy = createPolicy({ plugins });
  expect(() => headerChangesOf(policy, next, undefined, {} as CallView)).toThrow('second');
  // A rejection that nobody handles fails the run.
  await new Promise(setImmediate);
});

const TAKES = 'an object of strings, Headers, or pairs of a name and a value';

test.each<[story: string, made: unknown, message: string]>([
  ['a Map', new Map([['x-a', '1']]), `its result must be ${TAKES}, got Map`],
  ['Headers of another library', new OtherHeaders(), `its result must be ${TAKES}, got Object`],
  ['an iterator of pairs', [['x-a', '1']].values(), `its result must be ${TAKES}, got Array Iterator`],
  ['a Set', new Set(['x-a']), `its result must be ${TAKES}, got Set`],
  ['a list of texts', ['x-a: 1'], `its result must be ${TAKES}, got an array`],
  ...['url', 'method', 'body', 'headers'].map((name): [string, unknown, string] => [
    `request options: ${name}`,
    { [name]: 'x' },
    `its result must be the headers alone, got "${name}"`,
  ]),
  ['a token', 'secret', `its result must be ${TAKES}, got String`],
  ['a number', 5, 'got Number'],
  ['a response in place of its headers', new Response(), `its result must be ${TAKES}, got Response`],
  ['a date', new Date(), 'got Date'],
  ['a value that is a number', { 'x-a': 1 }, 'its result: x-a must be a string, or undefined, got number'],
  ['a pair with a number', [['x-a', 1]], 'its result: x-a must be a string, or undefined, got number'],
  ['a pair with a name that is none', [[1, 'x']], `its result must be ${TAKES}, got an array`],
])('beforeAttempt may not return %s', async (_, made, message) => {
  expect(() => changes(made)).toThrow(HookError);
  expect(() => changes(made)).toThrow(message);
  await expect(Promise.resolve(changes(Promise.resolve(made)))).rejects.toThrow(message);
});

test('a value may be a function, which is called at the send', () => {
  let calls = 0;
  const sign = (): string => {
    calls += 1;
    return `signed ${calls}`;
  };
  const pending = changes({ 'x-signature': sign, 'x-none': () => undefined, 'x-a': '1' }) as HeaderChanges;
  expect(calls).toBe(0);
  expect(headersNow(pending)).toEqual({ 'x-signature': 'signed 1', 'x-none': undefined, 'x-a': '1' });
});

test.each<[story: string, value: () => unknown, message: string]>([
  ['a number', () => 1, 'its result: x-a must be a string, or undefined, got number'],
  ['a function', () => () => '1', 'its result: x-a must be a string, or undefined'],
  ['a promise', async () => '1', 'its result: x-a must be a string, or undefined'],
  ['nothing, but throws', throwing(new Error('no key')), 'no key'],
])('a function that returns %s for a value fails the attempt', (_, value, message) => {
  const pending = changes([['x-a', value]]) as HeaderChanges;
  expect(() => headersNow(pending)).toThrow(HookError);
  expect(() => headersNow(pending)).toThrow(message);
});

test.each<[story: string, made: unknown, isKept: boolean]>([
  ['other headers', { authorization: 'x' }, true],
  ['the same key', new Headers({ 'Idempotency-Key': 'a' }), true],
  ['another key', { 'Idempotency-Key': 'b' }, false],
  ['no key', [['idempotency-key', undefined]], false],
  ['one that is known at the send', { 'Idempotency-Key': () => 'a' }, false],
])('a key is kept beside %s: %o', (_, made, isKept) => {
  for (const isOurs of [true, false]) {
    const key = { value: 'a', isOurs, isKept: true };
    changes(made, key);
    expect(key.isKept).toBe(isKept);
    // What one attempt has lost the next does not bring back.
    changes({ 'idempotency-key': 'a' }, key);
    expect(key.isKept).toBe(isKept);
  }
});

test('the key of a request is that of the caller, or that of ebb, or none', () => {
  const policy = createPolicy({ idempotencyKey: () => 'made' });
  const own = { ...request, header: () => 'own' };
  expect(keyOf(policy, request)).toEqual({ value: 'made', isOurs: true, isKept: true });
  expect(keyOf(policy, own)).toEqual({ value: 'own', isOurs: false, isKept: true });
  expect(keyOf(createPolicy(), request)).toBeUndefined();
  expect(keyOf(policy, { ...own, method: 'get' })).toBeUndefined();
});

test.each([5, '', ' ', undefined])('idempotencyKey that returns %o is an error', (key) => {
  const make = () => keyOf(createPolicy({ idempotencyKey: () => key as never }), request);
  expect(make).toThrow(HookError);
  expect(make).toThrow('idempotencyKey failed: its result must be a string that is not empty');
});

test('a page without TLS, which has no randomUUID, makes keys too', () => {
  const { crypto } = globalThis;
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const [one, other] = [1, 2].map(() => keyOf(createPolicy({ idempotencyKey: true }), request)?.value);
  vi.unstubAllGlobals();
  expect(one).toMatch(/^\d+(-\d+){3}$/);
  expect(other).not.toBe(one);
});
