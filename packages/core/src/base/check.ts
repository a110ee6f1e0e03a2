import { devText, devTextOf, inDevelopment } from '#dev-text';
import { property } from './errors.ts';
import { type Check, must } from './options.ts';

export { type Check, isOptionError, nameOf, type OptionError, wrongRange, wrongType } from './options.ts';

/** A check for numbers. A production build says of any other value as well that it is a wrong number. */
export function number(takes: string | undefined, fits: (value: number) => boolean): Check {
  return (name, value) => {
    const isNumber = typeof value === 'number';
    if (!(isNumber && fits(value))) must(name, takes, value, isNumber, false);
  };
}

/** Any number that is one. */
export const finite: Check = /* @__PURE__ */ number(devText('a finite number'), Number.isFinite);

/** 0, 1, 2 … */
export const wholeNumber: Check = /* @__PURE__ */ number(
  devText('a whole number ≥ 0'),
  (value) => Number.isSafeInteger(value) && value >= 0,
);

/** 1, 2, 3 … */
export const countingNumber: Check = /* @__PURE__ */ number(
  /* @__PURE__ */ devText('a whole number ≥ 1'),
  (value) => Number.isSafeInteger(value) && value >= 1,
);

/** A finite number, 0 included. */
export const notNegative: Check = /* @__PURE__ */ number(
  devText('a finite number ≥ 0'),
  (value) => Number.isFinite(value) && value >= 0,
);

/** A finite number above 0. */
export const positive: Check = /* @__PURE__ */ number(
  devText('a finite number > 0'),
  (value) => Number.isFinite(value) && value > 0,
);

/** A share of a whole: a number above 0, up to 1. */
export const share: Check = /* @__PURE__ */ number(
  /* @__PURE__ */ devText('a number > 0 and ≤ 1'),
  (value) => value > 0 && value <= 1,
);

/**
 * A capacity, in tokens, or a refill rate, in tokens per second. More than a billion tokens would be off by more than one, and a rate is
 * from one token in thirty years to one in each nanosecond.
 */
const amount: Check = /* @__PURE__ */ number(
  /* @__PURE__ */ devText('a number from 1e-9 to 1e9'),
  (value) => value >= 1e-9 && value <= 1e9,
);

export { amount as capacity, amount as refillRate };

/** Priorities are whole numbers from -7 to 7. With a lane for retries each they fit in 30 bits. */
export const HIGHEST_PRIORITY = 7;

/** A priority. */
export const checkPriority: Check = /* @__PURE__ */ number(
  devText('a whole number from -7 to 7'),
  (value) => Number.isInteger(value) && Math.abs(value) <= HIGHEST_PRIORITY,
);

/** A function. */
export const callable: Check = (name, value) =>
  inDevelopment(() => must(name, devText('a function'), value, typeof value === 'function'));

/** `true` or `false`. */
export const flag: Check = (name, value) =>
  inDevelopment(() => must(name, devText('true or false'), value, typeof value === 'boolean'));

/** A check for one of these words. */
export function oneOf(...words: readonly string[]): Check {
  return (name, value) => {
    // The words are put together for an error alone.
    if (words.some((word) => word === value)) return;
    const takes = devTextOf(() => `one of ${words.map((word) => `'${word}'`).join(', ')}`);
    must(name, takes, value, typeof value === 'string', false);
  };
}

/** An object that has these methods. */
export function withMethods(takes: string | undefined, ...methods: readonly string[]): Check {
  return (name, value) =>
    inDevelopment(() => {
      const hasAll = methods.every((method) => typeof property(value, method) === 'function');
      must(name, takes, value, hasAll);
    });
}
