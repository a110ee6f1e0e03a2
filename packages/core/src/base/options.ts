import { devText, devTextOf, inDevelopment, show } from '#dev-text';
import { isObject, isPromise } from './errors.ts';

/** Fields of the error for a wrong option, so that a caller can report it in its own words. */
export interface OptionFault {
  /** The option as the message names it, such as `maxRetries` or `limits.tokens.capacity`. */
  readonly option: string;
  /**
   * The values that the option takes, such as `a whole number ≥ 0`. For an unknown option, the names that exist. Empty in
   * production builds. Not enumerable: the message has it, and Node prints the fields of an error.
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

/** The message of the error for a wrong value. `given` is the value in words. */
export function messageOf(name: string, takes: string | undefined, given: string): string {
  return `${name} ${takes === undefined ? 'is wrong' : `must be ${takes}`}, got ${given}`;
}

/** The error for a value of the wrong type. `name` is `caller: option`; `takes` follows "must be". */
export function wrongType(name: string, takes: string | undefined, value: unknown): TypeError & OptionFault {
  return withFault(new TypeError(messageOf(name, takes, show(value))), name, takes, value);
}

/** The error for a value of the right type that is not allowed. `name` is `caller: option`; `takes` follows "must be". */
export function wrongRange(
  name: string,
  takes: string | undefined,
  value: unknown,
): RangeError & OptionFault {
  return withFault(new RangeError(messageOf(name, takes, show(value))), name, takes, value);
}

/** The error for an option that does not exist. `table` has those that do. */
export function unknownOption(
  caller: string,
  option: string,
  value: unknown,
  table: object,
): TypeError & OptionFault {
  const known = devTextOf(() => Object.keys(table).join(', '));
  const takes = devTextOf(() => `; it takes ${known}`) ?? '';
  const error = new TypeError(`${caller} has no option ${JSON.stringify(option)}${takes}`);
  return withFault(error, nameOf(caller, option), known, value, true);
}

/** Throws for a value that an option does not take: `TypeError` for a wrong type, `RangeError` for a wrong value. */
export type Check = (name: string, value: unknown) => void;

/** Throws a `TypeError` unless a value has its type, and a `RangeError` unless it then fits. */
export function must(
  name: string,
  takes: string | undefined,
  value: unknown,
  hasType: boolean,
  fits = true,
): asserts hasType {
  inDevelopment(() => {
    if (!hasType) throw wrongType(name, takes, value);
  });
  if (!fits) throw wrongRange(name, takes, value);
}

/** Throws unless a value is an object of named fields. A list or a promise would count as one that has none. */
export function mustHaveFields(
  name: string,
  takes: string | undefined,
  value: unknown,
): asserts value is object {
  const hasFields = isObject(value) && !Array.isArray(value) && !isPromise(value);
  must(name, takes, value, hasFields, hasFields);
}

/** How one option is read. An option that may stay unset has a check alone. */
type Row<O, Value, MayBeUnset> = { readonly check: Check } & (undefined extends Value
  ? MayBeUnset extends true
    ? unknown
    :
        | { readonly default: Exclude<Value, undefined> }
        /** Computed from the other options, which have their values or their constant defaults by then. */
        | { readonly defaultOf: (options: Complete<O>) => Exclude<Value, undefined> }
  : { readonly required: true });

/** All options of one options object. `Unset` are those that may be left out and have no default. */
export type OptionTable<O, Unset extends keyof O = never> = {
  readonly [K in keyof O]-?: Row<O, O[K], K extends Unset ? true : false>;
};

/** Validated options with all defaults applied. */
export type Complete<O, Unset extends keyof O = never> = {
  readonly [K in keyof O as Exclude<K, Unset>]-?: Exclude<O[K], undefined>;
} & { readonly [K in Unset]: O[K] };

/** A row, whatever the option. */
interface AnyRow {
  readonly check: Check;
  readonly required?: true;
  readonly default?: unknown;
  readonly defaultOf?: (options: never) => unknown;
}

/**
 * Validates changes of a complete set of options, and returns the options that are given. An option that is `undefined` counts as
 * not given.
 *
 * @param caller the name of the function in error messages
 * @throws TypeError for options that are no object, an unknown option, or a value of the wrong type
 * @throws RangeError for a wrong value
 */
export function readChanges<O extends object>(
  caller: string,
  options: O,
  table: { readonly [K in keyof O]-?: AnyRow },
): Partial<O> {
  mustHaveFields(caller.includes(': ') ? caller : `${caller}: options`, devText('an object'), options);
  const changes: Partial<O> = Object.create(null);
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(table, name)) throw unknownOption(caller, name, value, table);
    if (value === undefined) continue;
    const option = name as keyof O;
    table[option].check(nameOf(caller, name), value);
    changes[option] = value;
  }
  return changes;
}

/** A field that the row itself has: a program may have added fields to all objects. */
function fieldOf<K extends keyof AnyRow>(row: AnyRow, field: K): AnyRow[K] | undefined {
  return Object.hasOwn(row, field) ? row[field] : undefined;
}

/**
 * Validates options, and returns them with all defaults applied, in the order of their table.
 *
 * @throws TypeError, RangeError as {@link readChanges}, and for a required option that is not given
 */
export function readOptions<O extends object, Unset extends keyof O = never>(
  caller: string,
  options: O,
  table: OptionTable<O, Unset>,
): Complete<O, Unset> {
  const given = readChanges(caller, options, table as OptionTable<O>) as Readonly<Record<string, unknown>>;
  const rows = Object.entries<AnyRow>(table);
  const read: Record<string, unknown> = {};
  for (const [option, row] of rows) {
    if (fieldOf(row, 'required')) row.check(nameOf(caller, option), given[option]);
    // No check takes `null`.
    read[option] = given[option] ?? fieldOf(row, 'default');
  }
  for (const [option, row] of rows) read[option] ??= fieldOf(row, 'defaultOf')?.(read as never);
  return read as Complete<O, Unset>;
}
