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
export declare function isOptionError(error: unknown): error is OptionError;
/** The error for a value of the wrong type. `name` is `caller: option`; `takes` follows "must be". */
export declare function wrongType(name: string, takes: string, value: unknown): TypeError & OptionFault;
/** The error for a value of the right type that is not allowed. `name` is `caller: option`; `takes` follows "must be". */
export declare function wrongRange(name: string, takes: string, value: unknown): RangeError & OptionFault;
/** The name of an option in messages: `createPolicy: bucket`, and one level down `valkeyBucket: lease.aheadMs`. */
export declare function nameOf(caller: string, option: string): string;
/** The error for an option that does not exist. `known` are the names that do. */
export declare function unknownOption(caller: string, option: string, value: unknown, known: string): TypeError & OptionFault;
//# sourceMappingURL=option-error.d.ts.map