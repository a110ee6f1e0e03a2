import { mustHaveType, proseOf } from '#prose';
import { isPromise } from './promise.ts';

/** Fields of the error for a wrong option, so that a caller can report it in its own words. */
export interface OptionFault {
  /** The option as the message names it, such as `maxRetries` or `limits.tokens.capacity`. */
  readonly option: string;
  /**
   * What the option takes, such as `a whole number ≥ 0`. For an unknown option, the names that exist. Empty in production
   * builds. Not enumerable: the message has it, and Node prints the fields of an error.
   */
  readonly takes: string;
  /** The value that was given. Not enumerable, as it may be a secret, or hold one. */
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

/** The name of an option in messages: `createPolicy: bucket`, and one level down `valkeyBucket: lease.aheadMs`. */
export function nameOf(caller: string, option: string): string {
  return caller + (caller.includes(': ') ? '.' : ': ') + option;
}

/** A URL in a place where none belongs, such as that of a store's client, may have a password. A long text fills the screen. */
function shortened(text: string): string {
  // Up to the last @: a password that was not encoded may have any character.
  return text.replace(/\/\/.*@/s, '//…@').replace(/^(.{100}).+/s, '$1…');
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (isPromise(value)) return 'a promise';
  return Object(value) === value ? 'an object' : String(value);
}

/** A name is `caller: option`, or `option` alone. */
function withFault<E extends Error>(
  error: E,
  name: string,
  takes = '',
  given: unknown,
  unknown = false,
): E & OptionFault {
  // A promise where none belongs is reported here. Its rejection, which no one awaits, would end the process.
  if (given instanceof Promise) given.catch(() => undefined);
  const hidden = { takes: { value: takes }, given: { value: given } };
  const shown = { option: name.replace(/^.*?: /, ''), unknown };
  return Object.assign(Object.defineProperties(error, hidden), shown) as E & OptionFault;
}

function messageOf(name: string, takes: string | undefined, given: unknown): string {
  return `${name} ${takes === undefined ? 'is wrong' : `must be ${takes}`}, got ${show(given)}`;
}

/** The error for a value of the wrong type. `name` is `caller: option`; `takes` follows "must be". */
export function wrongType(name: string, takes: string | undefined, value: unknown): TypeError & OptionFault {
  return withFault(new TypeError(messageOf(name, takes, value)), name, takes, value);
}

/** The error for a value of the right type that is not allowed. `name` is `caller: option`; `takes` follows "must be". */
export function wrongRange(
  name: string,
  takes: string | undefined,
  value: unknown,
): RangeError & OptionFault {
  return withFault(new RangeError(messageOf(name, takes, value)), name, takes, value);
}

/** The error for an option that does not exist. `table` has those that do. */
export function unknownOption(
  caller: string,
  option: string,
  value: unknown,
  table: object,
): TypeError & OptionFault {
  const known = proseOf(() => Object.keys(table).join(', '));
  const takes = proseOf(() => `; it takes ${known}`) ?? '';
  const error = new TypeError(`${caller} has no option ${show(option)}${takes}`);
  return withFault(error, nameOf(caller, option), known, value, true);
}

/** Throws a `TypeError` unless a value has its type, and a `RangeError` unless it then fits. */
export function must(
  name: string,
  takes: string | undefined,
  value: unknown,
  hasType: boolean,
  fits = true,
): asserts hasType {
  mustHaveType(hasType, () => wrongType(name, takes, value));
  if (!fits) throw wrongRange(name, takes, value);
}

/** Throws unless a value is an object of named fields. A list or a promise would count as one that has none. */
export function mustHaveFields(
  name: string,
  takes: string | undefined,
  value: unknown,
): asserts value is object {
  const hasFields = typeof value === 'object' && value !== null && !Array.isArray(value) && !isPromise(value);
  must(name, takes, value, hasFields, hasFields);
}
