import type { ServiceLimit, Stragglers, Trouble } from '@ebb/testing/faults';

export type { Stragglers, Trouble } from '@ebb/testing/faults';

/** The cost of a request in a unit, if the cost is not the same for each request. */
export interface DrawnCost {
  readonly mean: number;
  /**
   * The distribution of the cost. Log-normal: half of the costs are below 0.6 of the mean, one in a hundred is above six
   * times the mean.
   */
  readonly spread: 'constant' | 'exponential' | 'log-normal';
}

/**
 * Token buckets in front of the server, one for each unit: requests, and what a language model reads and writes.
 *
 * A cost that is the same for each request is taken when the request arrives, from all units or from none. A drawn cost is
 * known, and charged, when the server answers: that may overdraw its unit. A request gets a 429 while a unit lacks its
 * constant cost, or has less than one token for a drawn one. A refused request spends nothing, an error no drawn cost.
 */
export interface UnitsLimit {
  readonly limits: Readonly<Record<string, { readonly refillPerSecond: number; readonly capacity: number }>>;
  /** The cost of a request in each unit. Answers report the cost, and `actualCost` of a policy reads it. */
  readonly spends: Readonly<Record<string, number | DrawnCost>>;
  /**
   * Whether the 429 has a Retry-After, in whole seconds.
   * @default true
   */
  readonly retryAfter?: boolean | undefined;
}

/** The limit of the requests that a server serves. */
export type ServerLimit = ServiceLimit | UnitsLimit;

/** Workers that each serve one request at a time, and a queue before them. */
export interface ServerOptions {
  /**
   * Servers behind one name, at most 32. Each has these workers, this queue and this limit. A request goes to one of them by its
   * key, and so do its retries and hedges. Clients do not know of shards: they have one budget, one throttle for all.
   * @default 1
   */
  readonly shards?: number | undefined;
  /**
   * The weight of each shard: how many of the requests are for it.
   * @default each shard has as many
   */
  readonly shardShares?: readonly number[] | undefined;
  /** How many requests are served at once. Together with `serviceMs` this is the capacity. */
  readonly workers: number;
  /** The mean time to serve a request, in milliseconds. */
  readonly serviceMs: number;
  /**
   * The distribution of the time to serve. Log-normal: half of the times are below 0.6 of the mean, one in a hundred
   * is above six times the mean. Pareto: one in ten thousand is above 150 times the mean.
   * @default 'exponential'
   */
  readonly serviceSpread?: 'constant' | 'exponential' | 'log-normal' | 'pareto' | undefined;
  /** Requests that take far longer. They raise the mean: it is `serviceMs` without them. */
  readonly stragglers?: Stragglers | undefined;
  /**
   * How many requests may wait for a worker. Any more are refused.
   * @default no limit
   */
  readonly maxQueue?: number | undefined;
  /**
   * The answer to a request that finds the queue full: a 503, or a 429 without Retry-After.
   * @default 'unavailable'
   */
  readonly queueFull?: 'unavailable' | 'too-many' | undefined;
  readonly limit?: ServerLimit | undefined;
  readonly troubles?: readonly Trouble[] | undefined;
}
