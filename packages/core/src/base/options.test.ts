import { describe, expect, test } from 'vitest';
import { unhandledIn } from '../../test/unhandled.ts';
import { type Check, countingNumber, isOptionError, notNegative, wholeNumber, wrongType } from './check.ts';
import { type OptionTable, readChanges, readOptions } from './options.ts';

function errorOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

interface Options {
  readonly a?: number | undefined;
  readonly c: number;
  readonly e?: number | undefined;
}

const table: OptionTable<Options, 'e'> = {
  a: { check: wholeNumber, defaultOf: ({ c }) => c + 1 },
  c: { check: countingNumber, required: true },
  e: { check: notNegative },
};

/** The table, for options that it does not fit. */
const ANY = table as OptionTable<Options>;

describe('readOptions', () => {
  test('applies constant and computed defaults', () => {
    expect(readOptions<Options, 'e'>('f', { c: 5 }, table)).toEqual({ a: 6, c: 5, e: undefined });
    expect(readOptions<Options, 'e'>('f', { a: undefined, c: 5, e: 0 }, table)).toEqual({ a: 6, c: 5, e: 0 });
    expect(readOptions<Options, 'e'>('f', { a: 0, c: 5 }, table).a).toBe(0);
  });

  test('throws for a required option that is not given', () => {
    for (const options of [{}, { c: undefined }]) {
      expect(errorOf(() => readOptions('f', options as Options, table))).toMatchObject({
        name: 'TypeError',
        message: 'f: c must be a whole number ≥ 1, got undefined',
      });
    }
  });
});

describe('readChanges', () => {
  test('returns the options that are given', () => {
    expect(readChanges('f', { a: 5, c: undefined } as object as Options, ANY)).toEqual({ a: 5 });
  });

  test('validates them', () => {
    const errors = [{ a: -1 }, { b: 1 }].map((changes) =>
      errorOf(() => readChanges('f', changes as object as Options, ANY)),
    );
    expect(errors).toMatchObject([{ option: 'a', given: -1 }, { unknown: true }]);
  });
});

test('the error for a wrong value names the option, what it takes and what was given', () => {
  const error = errorOf(() =>
    readOptions('createPolicy', { maxRetries: -1 }, { maxRetries: { check: wholeNumber, required: true } }),
  );
  expect(error).toBeInstanceOf(RangeError);
  expect(error).toMatchObject({
    name: 'RangeError',
    message: 'createPolicy: maxRetries must be a whole number ≥ 0, got -1',
    option: 'maxRetries',
    takes: 'a whole number ≥ 0',
    given: -1,
    unknown: false,
  });
});

test('the error for an unknown option names those that exist', () => {
  const error = errorOf(() => readOptions('f', { b: 5 } as object as Options, ANY));
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({
    message: 'f has no option "b"; it takes a, c, e',
    option: 'b',
    takes: 'a, c, e',
    given: 5,
    unknown: true,
  });
});

test.each<[lease: unknown, error: object]>([
  [
    { a: -1, c: 1 },
    { message: 'f: lease.a must be a whole number ≥ 0, got -1', option: 'lease.a' },
  ],
  [{ b: 1 }, { option: 'lease.b', unknown: true }],
  [5, { message: 'f: lease must be an object, got 5', option: 'lease' }],
])('an option of an option is named by its path: %j', (given, error) => {
  const lease: Check = (name, value) => void readOptions(name, value as object, table as never);
  const outer = { lease: { check: lease } } as never;
  expect(errorOf(() => readOptions('f', { lease: given } as object, outer))).toMatchObject(error);
});

test.each<[options: unknown, shown: string]>([
  [null, 'null'],
  // They would count as options without any.
  [[{ c: 1 }], 'an array'],
  [Promise.resolve({ c: 1 }), 'a promise'],
])('options that are not an object of options: %s', (options, shown) => {
  const reads = [
    () => readOptions('f', options as Options, ANY),
    () => readChanges('f', options as Options, ANY),
  ];
  for (const read of reads) {
    expect(errorOf(read)).toMatchObject({
      message: `f: options must be an object, got ${shown}`,
      option: 'options',
    });
  }
});

test('isOptionError knows these errors and no others', async () => {
  expect(isOptionError(wrongType('f: a', 'a text', 5))).toBe(true);
  expect(isOptionError(new TypeError('other'))).toBe(false);
  expect(isOptionError({ option: 'a', takes: 'b', given: 5 })).toBe(false);
  const copy = './check.ts?copy';
  const other: typeof import('./check.ts') = await import(copy);
  expect(isOptionError(other.wrongType('f: a', 'a text', 5))).toBe(true);
});

test('what an error for a wrong option prints is short', () => {
  const error = wrongType('f: a', 'a number', 'x'.repeat(9_999));
  expect(error.message).toBe(`f: a must be a number, got "${'x'.repeat(100)}…"`);
  expect({ ...error }).toEqual({ option: 'a', unknown: false });
  expect(error).toMatchObject({ takes: 'a number', given: 'x'.repeat(9_999) });
});

test('without words for what an option takes the error says that it is wrong, as in a production build', () => {
  const error = wrongType('f: a', undefined, 5);
  expect(error).toMatchObject({ message: 'f: a is wrong, got 5', option: 'a', takes: '', given: 5 });
});

test('a promise in the place of a value does not end the process when it rejects', async () => {
  const given = () => wrongType('f: a', 'a number', Promise.reject(new Error('lost')));
  expect(await unhandledIn(given)).toEqual([]);
});
