/** Says what is wrong with a value, or nothing. `TypeError` for a wrong kind, `RangeError` for a wrong size. */
export type Check = (name: string, value: unknown) => void;

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** Fields of the error for a wrong option, so that a caller can report it in its own words. */
export interface OptionFault {
  /** The option as the message names it, such as `maxRetries` or `furtherLimits[0].capacity`. */
  readonly option: string;
  /** What the option takes, such as `a whole number ≥ 0`. For an unknown option, the names that exist. */
  readonly takes: string;
  /** The value that was given. */
  readonly given: unknown;
  /** True if there is no such option. */
  readonly unknown: boolean;
}

/** The error for a wrong option: `TypeError` for a wrong type or an unknown name, `RangeError` for a wrong value. */
export type OptionError = (TypeError | RangeError) & OptionFault;

/** True for the error of a wrong option, from any copy of this package. */
export function isOptionError(error: unknown): error is OptionError {
  return error instanceof Error && 'option' in error && 'takes' in error && 'given' in error;
}

/** A name is `caller: option`, or `option` alone. */
function optionOf(name: string): string {
  return name.slice(name.indexOf(': ') + 1).trimStart();
}

function fault(name: string, takes: string, given: unknown, unknown = false): OptionFault {
  return { option: optionOf(name), takes, given, unknown };
}

function message(name: string, takes: string, given: unknown): string {
  return `${name} must be ${takes}, got ${show(given)}`;
}

/** The error for a value of the wrong type. `name` is `caller: option`; `takes` follows "must be". */
export function wrongType(name: string, takes: string, value: unknown): TypeError & OptionFault {
  return Object.assign(new TypeError(message(name, takes, value)), fault(name, takes, value));
}

/** The error for a value of the right type that is not allowed. `name` is `caller: option`; `takes` follows "must be". */
export function wrongRange(name: string, takes: string, value: unknown): RangeError & OptionFault {
  return Object.assign(new RangeError(message(name, takes, value)), fault(name, takes, value));
}

/** The name of an option in messages: `createPolicy: bucket`, and one level down `valkeyBucket: lease.aheadMs`. */
export function nameOf(caller: string, option: string): string {
  return caller.includes(': ') ? `${caller}.${option}` : `${caller}: ${option}`;
}

function unknownOption(
  caller: string,
  option: string,
  value: unknown,
  known: string,
): TypeError & OptionFault {
  const text = `${caller} has no option ${show(option)}; it takes ${known}`;
  return Object.assign(new TypeError(text), fault(nameOf(caller, option), known, value, true));
}

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

/** A finite number from 0. */
export const notNegative: Check = numberThat('a finite number ≥ 0', (n) => Number.isFinite(n) && n >= 0);

/** A finite number above 0. */
export const positive: Check = numberThat('a finite number > 0', (n) => Number.isFinite(n) && n > 0);

/** The most tokens that a bucket holds. Sums are off by up to a billionth, which beyond this is more than a token. */
export const MOST_TOKENS = 1e9;

/** The most tokens that come in a second: one each nanosecond, which is as fine as clocks are. */
export const MOST_PER_SECOND = 1e9;

/** A number of tokens that a bucket can hold. */
export const capacity: Check = numberThat(
  `a number > 0 and ≤ ${MOST_TOKENS}`,
  (n) => n > 0 && n <= MOST_TOKENS,
);

/** A rate at which tokens can come in. */
export const refillRate: Check = numberThat(
  `a number > 0 and ≤ ${MOST_PER_SECOND}`,
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

/**
 * Holds the options of `caller` against a table of checks. Options that are `undefined` count as not given.
 *
 * @throws TypeError for options that are no object, for an unknown name, or for a value of the wrong kind
 * @throws RangeError for a value of the wrong size
 */
export function checkOptions(caller: string, options: object, checks: Readonly<Record<string, Check>>): void {
  if (typeof options !== 'object' || options === null) {
    throw wrongType(caller.includes(': ') ? caller : `${caller}: options`, 'an object', options);
  }
  for (const [option, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, option) ? checks[option] : undefined;
    if (check === undefined) throw unknownOption(caller, option, value, Object.keys(checks).join(', '));
    if (value !== undefined) check(nameOf(caller, option), value);
  }
}
