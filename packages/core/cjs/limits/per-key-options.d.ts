import type { Clock } from '../base/clock.ts';
import { type Complete, type OptionTable } from '../base/options.ts';
import type { RequestTraits } from '../http/outcome.ts';
/** The key of a request. Requests with the same key share a bucket, a limit or a budget. */
export type KeyOf = (request: RequestTraits) => string;
/** Options of {@link bucketPerKey}, {@link concurrencyPerKey} and {@link budgetPerKey}. */
export interface PerKeyOptions {
    /**
     * The key of a request.
     * @default the origin of its URL
     */
    readonly keyOf?: KeyOf | undefined;
    /**
     * The most keys at a time. If none of them is idle, a request with another key fails with a `ThrottledError` before
     * it is sent: evicting one that is in use would forget what it has counted. With `budgetPerKey` further keys share one
     * budget instead. One that is used by its holder after it was evicted comes back, even above this number.
     * @default 10_000
     */
    readonly maxKeys?: number | undefined;
    /**
     * How long a key must not be used before it is evicted, in milliseconds. Only what is as good as new is evicted, and it
     * is found again as long as something refers to it.
     * @default 60_000
     */
    readonly idleMs?: number | undefined;
    /** @default that of the policy; without a policy that of the system */
    readonly clock?: Clock | undefined;
}
/** Validated options with all defaults applied. */
export type PerKeySetup = Complete<PerKeyOptions>;
/** Tells the options of one limit, all of which are optional, from {@link PerKeyOptions}. */
export type NoPerKeyOptions = {
    readonly [K in Exclude<keyof PerKeyOptions, 'clock'>]?: undefined;
};
/** What makes the limit of a key: the options that all keys share, or a function of the key. */
export type MakePerKey<T, O> = O | ((key: string) => T);
/** Arguments of a function that makes a limit per key: `(keyOf, make, options?)` or `(make, options?)`. */
export type PerKeyArguments<T, O> = readonly [
    first: KeyOf | MakePerKey<T, O>,
    second?: MakePerKey<T, O> | PerKeyOptions | undefined,
    third?: PerKeyOptions | undefined
];
/**
 * Reads the arguments of a function that makes a limit per key.
 *
 * @param table the options of one limit
 * @param makerOf validates such options, and returns a function that makes a limit with them
 * @throws TypeError, RangeError for a wrong option
 */
export declare function readPerKey<T, O extends object>(caller: string, [first, second, third]: PerKeyArguments<T, O>, table: OptionTable<O>, makerOf: (options: O) => () => T): {
    readonly make: (key: string) => T;
    readonly setup: PerKeySetup;
};
//# sourceMappingURL=per-key-options.d.ts.map