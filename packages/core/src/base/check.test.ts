import { expect, test } from 'vitest';
import { checkOptions, isOptionError, notNegative, wholeNumber, wrongType } from './check.ts';

function errorOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

test('the error for a wrong value names the option, what it takes and what was given', () => {
  const error = errorOf(() => checkOptions('createPolicy', { maxRetries: -1 }, { maxRetries: wholeNumber }));
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

test('the error for a wrong type is a TypeError with the same fields', () => {
  const error = errorOf(() => notNegative('constant: delayMs', '5'));
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ option: 'delayMs', takes: 'a finite number ≥ 0', given: '5' });
});

test('the error for an unknown option names those that exist', () => {
  const error = errorOf(() => checkOptions('f', { b: 5 }, { a: wholeNumber, c: wholeNumber }));
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({
    message: 'f has no option "b"; it takes a, c',
    option: 'b',
    takes: 'a, c',
    given: 5,
    unknown: true,
  });
});

test('an option of an option is named by its path', () => {
  const inner = (name: string, value: unknown): void =>
    checkOptions(name, value as object, { a: wholeNumber });
  expect(errorOf(() => checkOptions('f', { lease: { a: -1 } }, { lease: inner }))).toMatchObject({
    message: 'f: lease.a must be a whole number ≥ 0, got -1',
    option: 'lease.a',
  });
  expect(errorOf(() => checkOptions('f', { lease: { b: 1 } }, { lease: inner }))).toMatchObject({
    option: 'lease.b',
    unknown: true,
  });
  expect(errorOf(() => checkOptions('f', { lease: 5 }, { lease: inner }))).toMatchObject({
    message: 'f: lease must be an object, got 5',
    option: 'lease',
  });
});

test('options that are no object', () => {
  expect(errorOf(() => checkOptions('f', null as never, {}))).toMatchObject({
    message: 'f: options must be an object, got null',
    option: 'options',
  });
});

test('isOptionError knows these errors and no others', async () => {
  expect(isOptionError(wrongType('f: a', 'a text', 5))).toBe(true);
  expect(isOptionError(new TypeError('other'))).toBe(false);
  expect(isOptionError({ option: 'a', takes: 'b', given: 5 })).toBe(false);
  const copy = './check.ts?copy';
  const other: typeof import('./check.ts') = await import(copy);
  expect(isOptionError(other.wrongType('f: a', 'a text', 5))).toBe(true);
});
