import { type Check } from './check.ts';
import { type Clock, type Random } from './clock.ts';
/** How one option is read. An option that may stay unset has a check alone. */
type Row<O, Value, MayBeUnset> = {
    readonly check: Check;
} & (undefined extends Value ? MayBeUnset extends true ? unknown : {
    readonly default: Exclude<Value, undefined>;
}
/** Computed from the other options, which have their values or their constant defaults by then. */
 | {
    readonly defaultOf: (options: Complete<O>) => Exclude<Value, undefined>;
} : {
    readonly required: true;
});
/** All options of one options object. `Unset` are those that may be left out and have no default. */
export type OptionTable<O, Unset extends keyof O = never> = {
    readonly [K in keyof O]-?: Row<O, O[K], K extends Unset ? true : false>;
};
/** Validated options with all defaults applied. */
export type Complete<O, Unset extends keyof O = never> = {
    readonly [K in keyof O as Exclude<K, Unset>]-?: Exclude<O[K], undefined>;
} & {
    readonly [K in Unset]: O[K];
};
/** A row, whatever the option. */
interface AnyRow {
    readonly check: Check;
    readonly required?: true;
    readonly default?: unknown;
    readonly defaultOf?: (options: never) => unknown;
}
/**
 * Validates options, and returns them with all defaults applied. An option that is `undefined` counts as not given.
 *
 * @param caller the name of the function in error messages
 * @throws TypeError for options that are no object, an unknown option, or a value of the wrong type
 * @throws RangeError for a wrong value
 */
export declare function readOptions<O extends object, Unset extends keyof O = never>(caller: string, options: O, table: OptionTable<O, Unset>): Complete<O, Unset>;
/**
 * Validates options that change a complete set, and returns those that are given.
 *
 * @throws TypeError, RangeError as {@link readOptions}
 */
export declare function readChanges<O extends object>(caller: string, options: O, table: {
    readonly [K in keyof O]-?: AnyRow;
}): Partial<O>;
/** The `clock` of an options object. */
export declare const CLOCK_OPTION: {
    readonly check: Check;
    readonly default: Clock;
};
/** The `clock` of a limit. One that is given none takes the clock of its policy. */
export declare const LIMIT_CLOCK_OPTION: {
    readonly check: Check;
    readonly default: Clock;
};
/** The `random` of an options object. */
export declare const RANDOM_OPTION: {
    readonly check: Check;
    readonly default: Random;
};
export {};
//# sourceMappingURL=options.d.ts.map