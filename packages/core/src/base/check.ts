import { prose, wordsOf } from '#prose';
import { must } from './option-error.ts';

export { isOptionError, nameOf, type OptionError, wrongRange, wrongType } from './option-error.ts';

/** Throws for a value that an option does not take: `TypeError` for a wrong type, `RangeError` for a wrong value. */
export type Check = (name: string, value: unknown) => void;

// Each check is a function of its own, so that a bundle has those alone that it uses.

function mustBeNumber(name: string, takes: string | undefined, value: unknown, fits: boolean): void {
  must(name, takes, value, typeof value === 'number', fits);
}

/** 0, 1, 2 … */
export const wholeNumber: Check = (name, value) =>
  mustBeNumber(name, prose('a whole number ≥ 0'), value, Number.isSafeInteger(value) && Number(value) >= 0);

/** 1, 2, 3 … */
export const countingNumber: Check = (name, value) =>
  mustBeNumber(name, prose('a whole number ≥ 1'), value, Number.isSafeInteger(value) && Number(value) >= 1);

/** A finite number, 0 included. */
export const notNegative: Check = (name, value) =>
  mustBeNumber(name, prose('a finite number ≥ 0'), value, Number.isFinite(value) && Number(value) >= 0);

/** A finite number above 0. */
export const positive: Check = (name, value) =>
  mustBeNumber(name, prose('a finite number > 0'), value, isPositive(value));

function isPositive(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) > 0;
}

/** A share of a whole: a number above 0, up to 1. */
export const share: Check = (name, value) =>
  mustBeNumber(name, prose('a number > 0 and ≤ 1'), value, isPositive(value) && Number(value) <= 1);

/** The largest capacity. Sums are off by up to a billionth, which is more than a token beyond this. */
export const MOST_TOKENS = 1e9;

/** The highest rate, in tokens per second: one per nanosecond, the resolution of clocks. */
export const MOST_PER_SECOND = 1e9;

/** A capacity, in tokens. */
export const capacity: Check = (name, value) =>
  mustBeNumber(
    name,
    prose('a number > 0 and ≤ 1000000000'),
    value,
    isPositive(value) && Number(value) <= MOST_TOKENS,
  );

/** A refill rate, in tokens per second. */
export const refillRate: Check = (name, value) =>
  mustBeNumber(
    name,
    prose('a number > 0 and ≤ 1000000000'),
    value,
    isPositive(value) && Number(value) <= MOST_PER_SECOND,
  );

/** Priorities are whole numbers from -7 to 7. With a lane for retries each they fit in 30 bits. */
export const HIGHEST_PRIORITY = 7;

/** A priority. */
export const checkPriority: Check = (name, value) =>
  mustBeNumber(
    name,
    prose('a whole number from -7 to 7'),
    value,
    Number.isInteger(value) && Math.abs(Number(value)) <= HIGHEST_PRIORITY,
  );

/** A function. */
export const callable: Check = (name, value) =>
  must(name, prose('a function'), value, typeof value === 'function');

/** `true` or `false`. */
export const flag: Check = (name, value) =>
  must(name, prose('true or false'), value, typeof value === 'boolean');

/** One of a few words. */
export function oneOf(...words: readonly string[]): Check {
  return (name, value) => {
    // The words are put together for an error alone.
    if (!words.includes(value as string)) must(name, wordsOf(words), value, typeof value === 'string', false);
  };
}

/** An object that has these methods. */
export function having(takes: string | undefined, ...methods: readonly string[]): Check {
  return (name, value) =>
    must(
      name,
      takes,
      value,
      methods.every((method) => typeof (value as Record<string, unknown> | null)?.[method] === 'function'),
    );
}
