import { isPromise } from './promise.ts';

/** A URL in a place where none belongs, such as that of a store's client, may have a password. */
function withoutCredentials(text: string): string {
  // Up to the last @: a password that was not encoded may have any character.
  return text.replace(/\/\/.*@/s, '//…@');
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(withoutCredentials(value));
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (isPromise(value)) return 'a promise';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** Fields of the error for a wrong option, so that a caller can report it in its own words. */
export interface OptionFault {
  /** The option as the message names it, such as `maxRetries` or `furtherLimits[0].capacity`. */
  readonly option: string;
  /** What the option takes, such as `a whole number ≥ 0`. For an unknown option, the names that exist. */
  readonly takes: string;
  /** The value that was given. Not enumerable: it may be a secret, or hold one, and Node prints the fields of an error. */
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

function withFault<E extends Error>(
  error: E,
  name: string,
  takes: string,
  given: unknown,
  unknown = false,
): E & OptionFault {
  Object.defineProperty(error, 'given', { value: given });
  return Object.assign(error as E & Pick<OptionFault, 'given'>, { option: optionOf(name), takes, unknown });
}

function message(name: string, takes: string, given: unknown): string {
  return `${name} must be ${takes}, got ${show(given)}`;
}

/** The error for a value of the wrong type. `name` is `caller: option`; `takes` follows "must be". */
export function wrongType(name: string, takes: string, value: unknown): TypeError & OptionFault {
  // A promise where none belongs is reported here. Its rejection, which no one awaits, would end the process.
  if (value instanceof Promise) value.catch(() => undefined);
  return withFault(new TypeError(message(name, takes, value)), name, takes, value);
}

/** The error for a value of the right type that is not allowed. `name` is `caller: option`; `takes` follows "must be". */
export function wrongRange(name: string, takes: string, value: unknown): RangeError & OptionFault {
  return withFault(new RangeError(message(name, takes, value)), name, takes, value);
}

/** The name of an option in messages: `createPolicy: bucket`, and one level down `valkeyBucket: lease.aheadMs`. */
export function nameOf(caller: string, option: string): string {
  return caller.includes(': ') ? `${caller}.${option}` : `${caller}: ${option}`;
}

/** The error for an option that does not exist. `known` are the names that do. */
export function unknownOption(
  caller: string,
  option: string,
  value: unknown,
  known: string,
): TypeError & OptionFault {
  const text = `${caller} has no option ${show(option)}; it takes ${known}`;
  return withFault(new TypeError(text), nameOf(caller, option), known, value, true);
}
