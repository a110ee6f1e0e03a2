import { prose, wordsOf } from '#prose';
import { wrongRange, wrongType } from './option-error.ts';

export { isOptionError, nameOf, type OptionError, wrongRange, wrongType } from './option-error.ts';

/** Throws for a value that an option does not take: `TypeError` for a wrong type, `RangeError` for a wrong value. */
export type Check = (name: string, value: unknown) => void;

/** `fits` is asked for a value of the right type. */
function valueThat(
  takes: string | undefined,
  hasType: (value: unknown) => boolean,
  fits?: (value: never) => boolean,
): Check {
  return (name, value) => {
    if (!hasType(value)) throw wrongType(name, takes, value);
    if (fits?.(value as never) === false) throw wrongRange(name, takes, value);
  };
}

function numberThat(takes: string | undefined, fits: (value: number) => boolean): Check {
  return valueThat(takes, (value) => typeof value === 'number', fits);
}

/** 0, 1, 2 … */
export const wholeNumber: Check = /* @__PURE__ */ numberThat(
  prose('a whole number ≥ 0'),
  (n) => Number.isSafeInteger(n) && n >= 0,
);

/** 1, 2, 3 … */
export const countingNumber: Check = /* @__PURE__ */ numberThat(
  prose('a whole number ≥ 1'),
  (n) => Number.isSafeInteger(n) && n >= 1,
);

/** A finite number, 0 included. */
export const notNegative: Check = /* @__PURE__ */ numberThat(
  prose('a finite number ≥ 0'),
  (n) => Number.isFinite(n) && n >= 0,
);

/** A finite number above 0. */
export const positive: Check = /* @__PURE__ */ numberThat(
  prose('a finite number > 0'),
  (n) => Number.isFinite(n) && n > 0,
);

/** The largest capacity. Sums are off by up to a billionth, which is more than a token beyond this. */
export const MOST_TOKENS = 1e9;

/** The highest rate, in tokens per second: one per nanosecond, the resolution of clocks. */
export const MOST_PER_SECOND = 1e9;

/** A capacity, in tokens. */
export const capacity: Check = /* @__PURE__ */ numberThat(
  prose('a number > 0 and ≤ 1000000000'),
  (n) => n > 0 && n <= MOST_TOKENS,
);

/** A refill rate, in tokens per second. */
export const refillRate: Check = /* @__PURE__ */ numberThat(
  prose('a number > 0 and ≤ 1000000000'),
  (n) => n > 0 && n <= MOST_PER_SECOND,
);

/** Priorities are whole numbers from -7 to 7. With a lane for retries each they fit in 30 bits. */
export const HIGHEST_PRIORITY = 7;

/** A priority. */
export const checkPriority: Check = /* @__PURE__ */ numberThat(
  prose('a whole number from -7 to 7'),
  (n) => Number.isInteger(n) && Math.abs(n) <= HIGHEST_PRIORITY,
);

/** A function. */
export const callable: Check = /* @__PURE__ */ valueThat(
  prose('a function'),
  (value) => typeof value === 'function',
);

/** `true` or `false`. */
export const flag: Check = /* @__PURE__ */ valueThat(
  prose('true or false'),
  (value) => typeof value === 'boolean',
);

/** One of a few words. */
export function oneOf(...words: readonly string[]): Check {
  return valueThat(
    wordsOf(words),
    (value) => typeof value === 'string',
    (value) => words.includes(value),
  );
}

/** An object that has these methods. */
export function having(takes: string | undefined, ...methods: readonly string[]): Check {
  return valueThat(takes, (value) =>
    methods.every((method) => typeof (value as Record<string, unknown> | null)?.[method] === 'function'),
  );
}
