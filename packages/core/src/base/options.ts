import { prose } from '#prose';
import { type Check, callable, having } from './check.ts';
import { type Clock, type Random, systemClock, systemRandom } from './clock.ts';
import { nameOf, unknownOption, wrongType } from './option-error.ts';
import { unboundClock } from './own-clock.ts';
import { isPromise } from './promise.ts';

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

/** @throws TypeError if `options` is not an object, and for an unknown option */
function checkNames(caller: string, options: object, table: object): void {
  // A list or a promise has no names that could be wrong, and would count as no options: silently the defaults.
  if (typeof options !== 'object' || !options || Array.isArray(options) || isPromise(options)) {
    throw wrongType(caller.includes(': ') ? caller : `${caller}: options`, prose('an object'), options);
  }
  for (const [option, value] of Object.entries(options)) {
    if (!Object.hasOwn(table, option)) throw unknownOption(caller, option, value, table);
  }
}

/**
 * Validates options, and returns them with all defaults applied. An option that is `undefined` counts as not given.
 *
 * @param caller the name of the function in error messages
 * @throws TypeError for options that are no object, an unknown option, or a value of the wrong type
 * @throws RangeError for a wrong value
 */
export function readOptions<O extends object, Unset extends keyof O = never>(
  caller: string,
  options: O,
  table: OptionTable<O, Unset>,
): Complete<O, Unset> {
  checkNames(caller, options, table);
  const rows: [string, AnyRow][] = Object.entries(table);
  const read: Record<string, unknown> = {};
  for (const [option, row] of rows) {
    const value = options[option as keyof O];
    if (value !== undefined || row.required) row.check(nameOf(caller, option), value);
    read[option] = value === undefined ? row.default : value;
  }
  // No check takes `null`.
  for (const [option, { defaultOf }] of rows) read[option] ??= defaultOf?.(read as never);
  return read as Complete<O, Unset>;
}

/**
 * Validates options that change a complete set, and returns those that are given.
 *
 * @throws TypeError, RangeError as {@link readOptions}
 */
export function readChanges<O extends object>(
  caller: string,
  options: O,
  table: { readonly [K in keyof O]-?: AnyRow },
): Partial<O> {
  checkNames(caller, options, table);
  const changes: Partial<O> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const option = name as keyof O;
    table[option].check(nameOf(caller, name), value);
    changes[option] = value;
  }
  return changes;
}

/** The `clock` of an options object. */
export const CLOCK_OPTION: { readonly check: Check; readonly default: Clock } = {
  check: /* @__PURE__ */ having(prose('a clock'), 'now', 'schedule'),
  default: systemClock,
};

/** The `clock` of a limit. One that is given none takes the clock of its policy. */
export const LIMIT_CLOCK_OPTION: { readonly check: Check; readonly default: Clock } = {
  check: CLOCK_OPTION.check,
  default: unboundClock,
};

/** The `random` of an options object. */
export const RANDOM_OPTION: { readonly check: Check; readonly default: Random } = {
  check: callable,
  default: systemRandom,
};
