import { describe, expect, test } from 'vitest';
import type { Check } from './check.ts';
import { show as showInProduction } from './no-dev-text.ts';

type Checks = typeof import('./check.ts');

let copies = 0;

/** A copy of the module for each test: its checks are made when it is loaded. */
function checks(): Promise<Checks> {
  copies += 1;
  const copy = `./check.ts?copy=${copies}`;
  return import(copy);
}

/** `true` if it takes a value, else its error in short. */
function said(check: Check, value: unknown): unknown {
  try {
    check('f: a', value);
    return true;
  } catch (error) {
    const { name, message } = error as Error;
    return `${name}: ${message}`;
  }
}

const BILLION = 1e9;

describe('numbers', () => {
  test.each<[check: keyof Checks, takes: string, right: number[], wrong: number[]]>([
    ['finite', 'a finite number', [-5e300, 0, 0.5], [Number.NaN, Number.POSITIVE_INFINITY]],
    ['wholeNumber', 'a whole number ≥ 0', [0, 1, 2 ** 53 - 1], [-1, 0.5, 2 ** 53, Number.NaN]],
    ['countingNumber', 'a whole number ≥ 1', [1, 2 ** 53 - 1], [0, 1.5, 2 ** 53]],
    ['notNegative', 'a finite number ≥ 0', [0, 0.5, 5e300], [-5e-324, Number.NaN, Number.POSITIVE_INFINITY]],
    ['positive', 'a finite number > 0', [5e-324, 5e300], [0, -1, Number.NaN, Number.POSITIVE_INFINITY]],
    ['share', 'a number > 0 and ≤ 1', [5e-324, 0.5, 1], [0, -1, 1.001, Number.NaN]],
    ['capacity', 'a number from 1e-9 to 1e9', [1e-9, 1, BILLION], [0, 0.9e-9, BILLION + 1, Number.NaN]],
    ['refillRate', 'a number from 1e-9 to 1e9', [1e-9, 1, BILLION], [0, 0.9e-9, BILLION + 1, Number.NaN]],
    ['checkPriority', 'a whole number from -7 to 7', [-7, 0, 7], [-8, 8, 0.5, Number.NaN]],
  ])('%s: %s', async (name, takes, right, wrong) => {
    const check = (await checks())[name] as Check;
    for (const value of right) expect(said(check, value)).toBe(true);
    for (const value of wrong)
      expect(said(check, value)).toBe(`RangeError: f: a must be ${takes}, got ${value}`);
    for (const value of ['1', null, undefined, 1n]) {
      expect(said(check, value)).toMatch(`TypeError: f: a must be ${takes}, got `);
    }
  });
});

test.each<[check: 'callable' | 'flag', takes: string, right: unknown[], wrong: unknown[]]>([
  ['callable', 'a function', [() => 1, class {}], [undefined, 'f', {}]],
  ['flag', 'true or false', [true, false], [undefined, 0, 'true']],
])('%s: %s', async (name, takes, right, wrong) => {
  const check = (await checks())[name];
  for (const value of right) expect(said(check, value)).toBe(true);
  for (const value of wrong) expect(said(check, value)).toMatch(`TypeError: f: a must be ${takes}, got `);
});

test.each<[value: unknown, result: unknown]>([
  ['one', true],
  ['two', true],
  ['three', `RangeError: f: a must be one of 'one', 'two', got "three"`],
  [1, `TypeError: f: a must be one of 'one', 'two', got 1`],
  [undefined, `TypeError: f: a must be one of 'one', 'two', got undefined`],
])('one of a few words: %s', async (value, result) => {
  expect(said((await checks()).oneOf('one', 'two'), value)).toBe(result);
});

test.each<[what: string, value: unknown, isRight: boolean]>([
  ['both methods', { a: () => 1, b: () => 1, c: 1 }, true],
  ['both, inherited', Object.create({ a: () => 1, b: () => 1 }), true],
  ['one of them', { a: () => 1 }, false],
  ['something else of its name', { a: () => 1, b: 1 }, false],
  ['nothing', undefined, false],
])('an object that must have two methods has %s', async (_, value, isRight) => {
  const result = said((await checks()).withMethods('both', 'a', 'b'), value);
  if (isRight) expect(result).toBe(true);
  else expect(result).toMatch('TypeError: f: a must be both, got ');
});

test.each<[what: string, value: unknown, shown: string]>([
  ['a URL without who may use it', 'valkey://me:secret@a.test/0', '"valkey://…@a.test/0"'],
  ['a text without what may be a password', 'a //first b@ //second c@d', '"a //…@d"'],
  ['also over lines', 'a //first\n@b', '"a //…@b"'],
  ['a long text, cut', `${'x'.repeat(100)}\n${'y'.repeat(200)}`, `"${'x'.repeat(100)}…"`],
  ['a shorter one whole', 'x'.repeat(100), `"${'x'.repeat(100)}"`],
  ['a function', () => 1, 'a function'],
  ['a list', [1], 'an array'],
  ['a promise', Promise.resolve(1), 'a promise'],
  ['an object', { a: 1 }, 'an object'],
  ['null', null, 'null'],
  ['a large number', 5n, '5'],
  ['a symbol', Symbol('a'), 'Symbol(a)'],
])('an error shows %s', async (_, value, shown) => {
  const { wrongType } = await checks();
  expect(wrongType('f: a', 'b', value).message).toBe(`f: a must be b, got ${shown}`);
});

test('a production build shows numbers, and the types of all else', () => {
  expect([5, Number.NaN, 'secret', null, [1], undefined].map(showInProduction)).toEqual([
    ...['5', 'NaN', 'string', 'object', 'object', 'undefined'],
  ]);
});
