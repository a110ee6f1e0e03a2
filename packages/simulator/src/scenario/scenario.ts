import type {
  AdaptiveOptions,
  BackoffStrategy,
  binaryExponential,
  Classify,
  Clock,
  celery,
  connectRetry,
  decorrelatedJitter,
  equalJitter,
  exponential,
  fullJitter,
  memorystore,
  Outcome,
  PolicyOptions,
  Random,
  RetryBudget,
  RetryBudgetOptions,
  TokenBucketOptions,
} from '@ebb/core';

/** Requests that come whether or not the ones before are answered: users, other services. */
export interface OpenClients {
  /** Programs, each with a bucket and a budget of its own. */
  readonly count: number;
  /** New requests of the whole fleet, at random moments (a Poisson process). */
  readonly requestsPerSecond: number;
}

/** Programs that each wait for an answer, think, and ask again: workers, crawlers. */
export interface ClosedClients {
  readonly count: number;
  /** The mean time between an answer and the next request, in milliseconds; exponentially distributed. */
  readonly thinkMs: number;
  /**
   * Requests that each makes.
   * @default no limit
   */
  readonly requestsEach?: number | undefined;
}

/** Something that happens to the server for a time. */
export type Trouble = {
  readonly fromMs: number;
  readonly untilMs: number;
} & (
  | {
      /** Nothing is served, and what was in its hands is lost. */
      readonly type: 'outage';
      /**
       * What clients see: connections refused, 503, or no answer at all.
       * @default 'refused'
       */
      readonly answer?: 'refused' | 'unavailable' | 'silence' | undefined;
    }
  | {
      /** Only a share of the workers is there. */
      readonly type: 'brown-out';
      readonly capacityShare: number;
    }
  | {
      /** Workers come back one by one: a share of them at first, all at the end. */
      readonly type: 'slow-start';
      readonly capacityShare: number;
    }
  | {
      /** A share of the answers is a 503. */
      readonly type: 'errors';
      readonly share: number;
    }
);

/** A token bucket in front of the server: what does not conform gets a 429. */
export interface ServerLimit {
  readonly refillPerSecond: number;
  readonly capacity: number;
  /** @default 0 */
  readonly refillIntervalMs?: number | undefined;
  /**
   * Whether the 429 says in whole seconds when there will be tokens.
   * @default true
   */
  readonly retryAfter?: boolean | undefined;
}

/** Workers that each serve one request at a time, and a queue before them. */
export interface ServerOptions {
  /** How many requests are served at once. With `serviceMs` this is the capacity. */
  readonly workers: number;
  /** How long it takes to serve one, on average, in milliseconds. */
  readonly serviceMs: number;
  /**
   * How the time to serve is distributed. Log-normal: half of them within 0.6 of the mean, one in a hundred
   * beyond six times.
   * @default 'exponential'
   */
  readonly serviceSpread?: 'constant' | 'exponential' | 'log-normal' | undefined;
  /**
   * How many may wait for a worker; another gets a 503.
   * @default no limit
   */
  readonly maxQueue?: number | undefined;
  readonly limit?: ServerLimit | undefined;
  readonly troubles?: readonly Trouble[] | undefined;
}

/** The delay of every message, each way: |N(mean, deviation)|, in milliseconds. */
export interface NetworkOptions {
  readonly meanMs: number;
  /** @default 0 */
  readonly deviationMs?: number | undefined;
}

/** The options that a backoff rule of @ebb/core takes. */
type OptionsOf<Rule extends (options: never) => BackoffStrategy> = NonNullable<Parameters<Rule>[0]>;

/** A backoff rule by the name of its function in @ebb/core, and what that takes. */
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

/** A token bucket by the name of its function in @ebb/core, and what that takes. */
export type NamedBucket =
  | { readonly tokenBucket: TokenBucketOptions }
  | { readonly adaptive: AdaptiveOptions };

/** One retry budget for the whole fleet, as `valkeyBudget` of @ebb/valkey keeps it. */
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
   * How long a call to the store takes, there and back, in milliseconds.
   * @default 2
   */
  readonly roundTripMs?: number | undefined;
}

/**
 * A retry budget by the name of its function and what that takes: one for each client, in memory; or one for all of
 * them, in a store.
 */
export type NamedBudget =
  | { readonly retryBudget: RetryBudgetOptions }
  | { readonly valkeyBudget: SharedBudgetOptions };

/**
 * The options of `createPolicy`, for every client of a fleet. Where a program calls a function of @ebb/core, a
 * scenario names it, since each client makes a bucket and a budget of its own: `fullJitter({ baseMs: 100,
 * capMs: 10_000 })` is `{ fullJitter: { baseMs: 100, capMs: 10_000 } }`.
 */
export interface FleetPolicy {
  /** @default the `maxRetries` of the backoff rule, if it ends by itself; else 5 */
  readonly maxRetries?: number | undefined;
  readonly backoff?: NamedBackoff | BackoffStrategy | undefined;
  readonly classify?: 'classifyHttp' | 'classifyHttpByMeaning' | Classify | undefined;
  readonly methods?: PolicyOptions['methods'];
  readonly maxRetryAfterMs?: number | undefined;
  readonly attemptTimeoutMs?: number | undefined;
  readonly totalTimeoutMs?: number | undefined;
  readonly maxWaitMs?: number | undefined;
  readonly bucket?: NamedBucket | undefined;
  /** `false`: retries without any limit but `maxRetries`, whatever `createPolicy` does by default. */
  readonly budget?: NamedBudget | ((environment: Environment) => RetryBudget) | false | undefined;
  readonly cost?: number | undefined;
}

/** Virtual time and seeded chance. */
export interface Environment {
  readonly clock: Clock;
  readonly random: Random;
}

/** A client whose scheme says more than a policy can. */
export interface CustomClient {
  readonly policy: PolicyOptions;
  /** Is told of each new request, before its first attempt. */
  readonly onRequest?: (() => void) | undefined;
  /** Whether the next attempt may be sent; a request whose attempt may not has failed. */
  readonly admit?: (() => boolean) | undefined;
  /** Is told what became of each attempt, counted from 1, before it is judged. */
  readonly onOutcome?: ((outcome: Outcome, attempt: number) => void) | undefined;
}

/** Makes the clients of a fleet, one by one. */
export type ClientFactory = (environment: Environment) => CustomClient;

/** A fleet, a server, and what happens to it. */
export interface Scenario {
  /** How long it lasts, in milliseconds of virtual time. */
  readonly durationMs: number;
  /**
   * The length of the intervals in which things are counted.
   * @default 1_000
   */
  readonly intervalMs?: number | undefined;
  readonly clients: OpenClients | ClosedClients;
  readonly server: ServerOptions;
  /** @default no delay */
  readonly network?: NetworkOptions | undefined;
  /** @default {} */
  readonly policy?: FleetPolicy | ClientFactory | undefined;
}
