import type {
  AdaptiveOptions,
  BackoffStrategy,
  binaryExponential,
  Classify,
  Costs,
  celery,
  connectRetry,
  decorrelatedJitter,
  equalJitter,
  exponential,
  fullJitter,
  memorystore,
  PolicyOptions,
  QuotaBucketOptions,
  RetryBudget,
  RetryBudgetOptions,
  ThrottleOptions,
  TokenBucketOptions,
} from '@ebb/core';
import type { HedgeOptions } from '@ebb/hedge';
import type { Environment } from './client-options.ts';

/** The options of a backoff rule of @ebb/core. */
type OptionsOf<Rule extends (options: never) => BackoffStrategy> = NonNullable<Parameters<Rule>[0]>;

/** A backoff rule by the name of its function in @ebb/core, with the options of that function. */
export type NamedBackoff =
  | { readonly memorystore: OptionsOf<typeof memorystore> }
  | { readonly exponential: OptionsOf<typeof exponential> }
  | { readonly fullJitter: OptionsOf<typeof fullJitter> }
  | { readonly equalJitter: OptionsOf<typeof equalJitter> }
  | { readonly decorrelatedJitter: OptionsOf<typeof decorrelatedJitter> }
  | { readonly constant: number }
  | { readonly celery: OptionsOf<typeof celery> }
  | { readonly binaryExponential: OptionsOf<typeof binaryExponential> }
  | { readonly connectRetry: OptionsOf<typeof connectRetry> };

/** A token bucket by the name of its function in @ebb/core, with the options of that function. */
export type NamedBucket =
  | { readonly tokenBucket: TokenBucketOptions }
  | { readonly adaptive: AdaptiveOptions }
  | { readonly quotaBucket: QuotaBucketOptions };

/** A retry budget for the whole fleet, like `valkeyBudget` of @ebb/valkey. */
export interface SharedBudgetOptions {
  /** @default 0.2 */
  readonly ratio?: number | undefined;
  /**
   * For the whole fleet.
   * @default 10
   */
  readonly reserve?: number | undefined;
  /** @default 10_000 */
  readonly windowMs?: number | undefined;
  /**
   * The shortest time between two calls of one client to the store, in milliseconds.
   * @default 100
   */
  readonly aheadMs?: number | undefined;
  /**
   * The round trip of a call to the store, in milliseconds.
   * @default 2
   */
  readonly roundTripMs?: number | undefined;
}

/**
 * A retry budget by the name of its function, with the options of that function: one in the memory of each client, or
 * one in a store for the whole fleet.
 */
export type NamedBudget =
  | { readonly retryBudget: RetryBudgetOptions }
  | { readonly valkeyBudget: SharedBudgetOptions };

/** The options of `hedged` of @ebb/fetch that a scenario may give. A client is one program: its requests share a delay. */
export type SimulatedHedges = Pick<
  HedgeOptions,
  'quantile' | 'delayMs' | 'minDelayMs' | 'maxHedges' | 'share'
>;

/**
 * The options of `createPolicy`, for every client of a fleet. A program calls a function of @ebb/core; a scenario
 * names the function, because each client makes its own bucket and budget: `fullJitter({ baseMs: 100,
 * capMs: 10_000 })` is `{ fullJitter: { baseMs: 100, capMs: 10_000 } }`.
 */
export interface FleetPolicy {
  /** @default the `maxRetries` of the backoff rule if it has one, else 5 */
  readonly maxRetries?: number | undefined;
  readonly backoff?: NamedBackoff | BackoffStrategy | undefined;
  readonly classify?: 'classifyHttp' | 'classifyHttpByMeaning' | Classify | undefined;
  readonly methods?: PolicyOptions['methods'];
  readonly retryAfter?: PolicyOptions['retryAfter'];
  readonly attemptTimeoutMs?: number | undefined;
  readonly totalTimeoutMs?: number | undefined;
  readonly maxWaitMs?: number | undefined;
  readonly bucket?: NamedBucket | undefined;
  /** `false` leaves `maxRetries` as the only limit of retries, whatever the default of `createPolicy` is. */
  readonly budget?: NamedBudget | ((environment: Environment) => RetryBudget) | false | undefined;
  /** The options of `throttle`: each client has one. `{}` for the defaults. */
  readonly throttle?: ThrottleOptions | undefined;
  /**
   * The options of `hedged` of @ebb/fetch, below each client: a second send of a slow request. `{}` for the defaults. Not
   * together with a bucket.
   */
  readonly hedges?: SimulatedHedges | undefined;
  /** The tokens that each attempt reserves. A `quotaBucket` also takes a number for each unit. */
  readonly cost?: number | Costs | undefined;
  /**
   * Whether clients read from answers what their requests have spent, and settle their tokens with it, as with `costFromResponse`.
   * For a `quotaBucket`, and a server whose limit has units.
   * @default false
   */
  readonly actualCost?: boolean | undefined;
}
