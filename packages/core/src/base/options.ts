import { prose } from '#prose';
import { type Check, callable, having } from './check.ts';
import { type Clock, type Random, systemClock, systemRandom } from './clock.ts';
import { mustHaveFields, nameOf, unknownOption } from './option-error.ts';

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
 * Validates options that change a complete set, and returns those that are given. An option that is `undefined` counts as not
 * given.
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
  mustHaveFields(caller.includes(': ') ? caller : `${caller}: options`, prose('an object'), options);
  const changes: Partial<O> = {};
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(table, name)) throw unknownOption(caller, name, value, table);
    if (value === undefined) continue;
    const option = name as keyof O;
    table[option].check(nameOf(caller, name), value);
    changes[option] = value;
  }
  return changes;
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
  const rows: [string, AnyRow][] = Object.entries(table);
  const read: Record<string, unknown> = {};
  for (const [option, row] of rows) {
    if (row.required) row.check(nameOf(caller, option), given[option]);
    // No check takes `null`.
    read[option] = given[option] ?? row.default;
  }
  for (const [option, { defaultOf }] of rows) read[option] ??= defaultOf?.(read as never);
  return read as Complete<O, Unset>;
}

const checkClock: Check = (name, value) => having(prose('a clock'), 'now', 'schedule')(name, value);

/** The `clock` of an options object. */
export const CLOCK_OPTION: { readonly check: Check; readonly default: Clock } = {
  check: checkClock,
  default: systemClock,
};

/** The `random` of an options object. */
export const RANDOM_OPTION: { readonly check: Check; readonly default: Random } = {
  check: callable,
  default: systemRandom,
};
