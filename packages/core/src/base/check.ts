/** Says what is wrong with a value, or nothing. `TypeError` for a wrong kind, `RangeError` for a wrong size. */
export type Check = (name: string, value: unknown) => void;

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** The error for an option of the wrong kind. */
export function wrongType(name: string, takes: string, value: unknown): TypeError {
  return new TypeError(`${name} takes ${takes}, and was given ${show(value)}`);
}

/** The error for an option of the right kind and the wrong size. */
export function wrongRange(name: string, takes: string, value: unknown): RangeError {
  return new RangeError(`${name} takes ${takes}, and was given ${show(value)}`);
}

function numberThat(takes: string, fits: (value: number) => boolean): Check {
  return (name, value) => {
    if (typeof value !== 'number') throw wrongType(name, takes, value);
    if (!fits(value)) throw wrongRange(name, takes, value);
  };
}

/** 0, 1, 2 … */
export const wholeNumber: Check = numberThat(
  'a whole number from 0',
  (n) => Number.isSafeInteger(n) && n >= 0,
);

/** 1, 2, 3 … */
export const countingNumber: Check = numberThat(
  'a whole number from 1',
  (n) => Number.isSafeInteger(n) && n >= 1,
);

/** A finite number from 0. */
export const notNegative: Check = numberThat('a finite number from 0', (n) => Number.isFinite(n) && n >= 0);

/** A finite number above 0. */
export const positive: Check = numberThat('a finite number above 0', (n) => Number.isFinite(n) && n > 0);

/** The most tokens that a bucket holds. Sums are off by up to a billionth, which beyond this is more than a token. */
export const MOST_TOKENS = 1e9;

/** The most tokens that come in a second: one each nanosecond, which is as fine as clocks are. */
export const MOST_PER_SECOND = 1e9;

/** A number of tokens that a bucket can hold. */
export const capacity: Check = numberThat(
  `a number above 0 and at most ${MOST_TOKENS}`,
  (n) => n > 0 && n <= MOST_TOKENS,
);

/** A rate at which tokens can come in. */
export const refillRate: Check = numberThat(
  `a number above 0 and at most ${MOST_PER_SECOND}`,
  (n) => n > 0 && n <= MOST_PER_SECOND,
);

/** Priorities go from the negative of this to this. With a lane for retries each, they fit in 30 bits. */
export const HIGHEST_PRIORITY = 7;

/** A priority. */
export const checkPriority: Check = numberThat(
  `a whole number from -${HIGHEST_PRIORITY} to ${HIGHEST_PRIORITY}`,
  (n) => Number.isInteger(n) && Math.abs(n) <= HIGHEST_PRIORITY,
);

/** Something to call. */
export const callable: Check = (name, value) => {
  if (typeof value !== 'function') throw wrongType(name, 'a function', value);
};

/** `true` or `false`. */
export const flag: Check = (name, value) => {
  if (typeof value !== 'boolean') throw wrongType(name, 'true or false', value);
};

/** One of a few words. */
export function oneOf(...words: readonly string[]): Check {
  const takes = words.map((word) => `'${word}'`).join(' or ');
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

/**
 * Holds the options of `caller` against a table of checks. Options that are `undefined` count as not given.
 *
 * @throws TypeError for options that are no object, for an unknown name, or for a value of the wrong kind
 * @throws RangeError for a value of the wrong size
 */
export function checkOptions(caller: string, options: object, checks: Readonly<Record<string, Check>>): void {
  if (typeof options !== 'object' || options === null)
    throw wrongType(caller, 'an object of options', options);
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) {
      throw new TypeError(
        `${caller} has no option ${show(name)}; it takes ${Object.keys(checks).join(', ')}`,
      );
    }
    if (value !== undefined) check(`${caller}: ${name}`, value);
  }
}
