/** Something that happens to the server for a time. */
export type Trouble = {
  readonly fromMs: number;
  readonly untilMs: number;
  /**
   * The shard that it happens to, from 0.
   * @default all of them
   */
  readonly shard?: number | undefined;
} & (
  | {
      /** The server serves nothing, and loses the requests that it is working on. */
      readonly type: 'outage';
      /**
       * What clients see: refused connections, 503, or no answer at all.
       * @default 'refused'
       */
      readonly answer?: 'refused' | 'unavailable' | 'silence' | undefined;
    }
  | {
      /** Only a share of the workers is left. */
      readonly type: 'brown-out';
      readonly capacityShare: number;
    }
  | {
      /** Workers come back one by one: a share of them at the start, all of them at the end. */
      readonly type: 'slow-start';
      readonly capacityShare: number;
    }
  | {
      /** A share of the answers is a 503. */
      readonly type: 'errors';
      readonly share: number;
    }
);

/** What a request spends of a unit that is not the same for each request. */
export interface DrawnCost {
  readonly mean: number;
  /**
   * The distribution of the cost. Log-normal: half of the costs are below 0.6 of the mean, one in a hundred is above six
   * times the mean.
   */
  readonly spread: 'constant' | 'exponential' | 'log-normal';
}

/** A token bucket in front of the server, of one unit: requests that do not conform get a 429. */
export interface OneUnitLimit {
  readonly refillPerSecond: number;
  readonly capacity: number;
  /** @default 0 */
  readonly refillIntervalMs?: number | undefined;
  /**
   * Whether the 429 has a Retry-After, in whole seconds.
   * @default true
   */
  readonly retryAfter?: boolean | undefined;
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
  /** What a request spends in each unit. Answers say so, and `actualCost` of a policy reads it. */
  readonly spends: Readonly<Record<string, number | DrawnCost>>;
  /**
   * Whether the 429 has a Retry-After, in whole seconds.
   * @default true
   */
  readonly retryAfter?: boolean | undefined;
}

/** What limits the requests that a server serves. */
export type ServerLimit = OneUnitLimit | UnitsLimit;

/** Some requests that take much longer than the others: they meet a pause, a cold cache, a lost packet. */
export interface Stragglers {
  /** How many of the requests, from 0 to 1. Each send is drawn anew. */
  readonly share: number;
  /** How many times as long they take. */
  readonly factor: number;
}

/** Workers that each serve one request at a time, and a queue before them. */
export interface ServerOptions {
  /**
   * Servers behind one name, at most 32. Each has these workers, this queue and this limit. A request goes to one of them by its
   * key, and so do its retries and hedges. Clients do not know of shards: they have one budget, one throttle for all.
   * @default 1
   */
  readonly shards?: number | undefined;
  /** How many requests are served at once. Together with `serviceMs` this is the capacity. */
  readonly workers: number;
  /** The mean time to serve a request, in milliseconds. */
  readonly serviceMs: number;
  /**
   * The distribution of the time to serve. Log-normal: half of the times are below 0.6 of the mean, one in a hundred
   * is above six times the mean.
   * @default 'exponential'
   */
  readonly serviceSpread?: 'constant' | 'exponential' | 'log-normal' | undefined;
  /** Requests that take far longer. They raise the mean: it is `serviceMs` without them. */
  readonly stragglers?: Stragglers | undefined;
  /**
   * How many requests may wait for a worker. Any more are refused.
   * @default no limit
   */
  readonly maxQueue?: number | undefined;
  /**
   * What those get that find the queue full: a 503, or a 429 without Retry-After.
   * @default 'unavailable'
   */
  readonly queueFull?: 'unavailable' | 'too-many' | undefined;
  readonly limit?: ServerLimit | undefined;
  readonly troubles?: readonly Trouble[] | undefined;
}
