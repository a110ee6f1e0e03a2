import { callable, countingNumber, notNegative } from '../base/check.ts';
import type { Clock } from '../base/clock.ts';
import { type Complete, LIMIT_CLOCK_OPTION, type OptionTable, readOptions } from '../base/options.ts';
import { originOf } from '../http/origin.ts';
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

const PER_KEY_OPTIONS: OptionTable<PerKeyOptions> = {
  keyOf: { check: callable, default: originOf },
  maxKeys: { check: countingNumber, default: 10_000 },
  idleMs: { check: notNegative, default: 60_000 },
  clock: LIMIT_CLOCK_OPTION,
};

/** Tells the options of one limit, all of which are optional, from {@link PerKeyOptions}. */
export type NoPerKeyOptions = { readonly [K in Exclude<keyof PerKeyOptions, 'clock'>]?: undefined };

/** What makes the limit of a key: the options that all keys share, or a function of the key. */
export type MakePerKey<T, O> = O | ((key: string) => T);

/** Arguments of a function that makes a limit per key: `(keyOf, make, options?)` or `(make, options?)`. */
export type PerKeyArguments<T, O> = readonly [
  first: KeyOf | MakePerKey<T, O>,
  second?: MakePerKey<T, O> | PerKeyOptions | undefined,
  third?: PerKeyOptions | undefined,
];

/**
 * Reads the arguments of a function that makes a limit per key.
 *
 * @param table the options of one limit
 * @param makerOf validates such options, and returns a function that makes a limit with them
 * @throws TypeError, RangeError for a wrong option
 */
export function readPerKey<T, O extends object>(
  caller: string,
  [first, second, third]: PerKeyArguments<T, O>,
  table: OptionTable<O>,
  makerOf: (options: O) => () => T,
): { readonly make: (key: string) => T; readonly setup: PerKeySetup } {
  const hasKeyOf =
    third !== undefined ||
    typeof second === 'function' ||
    (typeof first !== 'object' && isOptionsOf(table, second));
  if (hasKeyOf) callable(`${caller}: keyOf`, first);
  const make = (hasKeyOf ? second : first) as MakePerKey<T, O>;
  const options = ((hasKeyOf ? third : second) ?? {}) as PerKeyOptions;
  // What all keys share may bring the clock of both.
  const { clock } = make as { readonly clock?: Clock | undefined };
  const timed = clock === undefined || options.clock !== undefined ? options : { ...options, clock };
  return {
    make: typeof make === 'function' ? (make as (key: string) => T) : makerOf(make),
    setup: readOptions(caller, hasKeyOf ? { ...timed, keyOf: first as KeyOf } : timed, PER_KEY_OPTIONS),
  };
}

/** True for the options of one limit: all that are required, and none that only {@link PerKeyOptions} has. */
function isOptionsOf(table: object, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const rows: [string, { readonly required?: true }][] = Object.entries(table);
  return (
    rows.every(([name, { required }]) => !required || name in value) &&
    Object.keys(PER_KEY_OPTIONS).every((name) => name in table || !(name in value))
  );
}
