import { wrongRange, wrongType } from './option-error.ts';

export { isOptionError, nameOf, type OptionError, wrongRange, wrongType } from './option-error.ts';

/** Throws for a value that an option does not take: `TypeError` for a wrong type, `RangeError` for a wrong value. */
export type Check = (name: string, value: unknown) => void;

function numberThat(takes: string, fits: (value: number) => boolean): Check {
  return (name, value) => {
    if (typeof value !== 'number') throw wrongType(name, takes, value);
    if (!fits(value)) throw wrongRange(name, takes, value);
  };
}

/** 0, 1, 2 … */
export const wholeNumber: Check = numberThat('a whole number ≥ 0', (n) => Number.isSafeInteger(n) && n >= 0);

/** 1, 2, 3 … */
export const countingNumber: Check = numberThat(
  'a whole number ≥ 1',
  (n) => Number.isSafeInteger(n) && n >= 1,
);

/** A finite number, 0 included. */
export const notNegative: Check = numberThat('a finite number ≥ 0', (n) => Number.isFinite(n) && n >= 0);

/** A finite number above 0. */
export const positive: Check = numberThat('a finite number > 0', (n) => Number.isFinite(n) && n > 0);

/** The largest capacity. Sums are off by up to a billionth, which is more than a token beyond this. */
export const MOST_TOKENS = 1e9;

/** The highest rate, in tokens per second: one per nanosecond, the resolution of clocks. */
export const MOST_PER_SECOND = 1e9;

/** A capacity, in tokens. */
export const capacity: Check = numberThat(
  `a number > 0 and ≤ ${MOST_TOKENS}`,
  (n) => n > 0 && n <= MOST_TOKENS,
);

/** A refill rate, in tokens per second. */
export const refillRate: Check = numberThat(
  `a number > 0 and ≤ ${MOST_PER_SECOND}`,
  (n) => n > 0 && n <= MOST_PER_SECOND,
);

/** Priorities are whole numbers from -7 to 7. With a lane for retries each they fit in 30 bits. */
export const HIGHEST_PRIORITY = 7;

/** A priority. */
export const checkPriority: Check = numberThat(
  `a whole number from -${HIGHEST_PRIORITY} to ${HIGHEST_PRIORITY}`,
  (n) => Number.isInteger(n) && Math.abs(n) <= HIGHEST_PRIORITY,
);

/** A function. */
export const callable: Check = (name, value) => {
  if (typeof value !== 'function') throw wrongType(name, 'a function', value);
};

/** `true` or `false`. */
export const flag: Check = (name, value) => {
  if (typeof value !== 'boolean') throw wrongType(name, 'true or false', value);
};

/** One of a few words. */
export function oneOf(...words: readonly string[]): Check {
  const takes = `one of ${words.map((word) => `'${word}'`).join(', ')}`;
  return (name, value) => {
    if (typeof value !== 'string') throw wrongType(name, takes, value);
    if (!words.includes(value)) throw wrongRange(name, takes, value);
  };
}

/** An object that has these methods. */
export function having(takes: string, ...methods: readonly string[]): Check {
  return (name, value) => {
    const object = value as Record<string, unknown> | null | undefined;
    if (!methods.every((method) => typeof object?.[method] === 'function'))
      throw wrongType(name, takes, value);
  };
}
