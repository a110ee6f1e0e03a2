import type { Clock } from '@ebb/core';

/**
 * How numbers are drawn around their mean. Log-normal: half are below 0.6 of the mean, one in a hundred is above six times the mean. Pareto:
 * half are below 0.53 of the mean, one in a hundred is above seven times, one in ten thousand above 150 times the mean.
 */
export type Spread = 'constant' | 'exponential' | 'log-normal' | 'pareto';

/** Something that happens to a service for a time. Times count from the call of {@link faults}. */
export type Trouble = {
  /** In milliseconds. */
  readonly fromMs: number;
  /** In milliseconds, later than `fromMs`. */
  readonly untilMs: number;
  /**
   * The shard that it happens to, from 0.
   * @default all of them
   */
  readonly shard?: number | undefined;
} & (
  | {
      /** The service serves nothing, and loses the requests that it is working on. */
      readonly type: 'outage';
      /**
       * The answer to clients: a refused connection, a 503, or none at all.
       * @default 'refused'
       */
      readonly answer?: 'refused' | 'unavailable' | 'silence' | undefined;
    }
  | {
      /** Only a share of the workers is left. */
      readonly type: 'brown-out';
      /** From 0 to 1. */
      readonly capacityShare: number;
    }
  | {
      /** Workers come back one by one: a share of them at the start, all of them at the end. */
      readonly type: 'slow-start';
      /** From 0 to 1. */
      readonly capacityShare: number;
    }
  | {
      /** A share of the answers is a 503. */
      readonly type: 'errors';
      /** From 0 to 1. */
      readonly share: number;
    }
);

/** A token bucket in front of a service. It starts full. Requests that do not conform get a 429. */
export interface ServiceLimit {
  /** Requests per second. */
  readonly refillPerSecond: number;
  readonly capacity: number;
  /**
   * For a service that refills in steps, in milliseconds.
   * @default 0
   */
  readonly refillIntervalMs?: number | undefined;
  /**
   * Whether the 429 has a Retry-After, in whole seconds.
   * @default true
   */
  readonly retryAfter?: boolean | undefined;
}

/** Some requests that take much longer than the others. They raise the mean: it is `serviceMs` without them. */
export interface Stragglers {
  /** How many of the requests, from 0 to 1. Each send is drawn anew. */
  readonly share: number;
  /** How many times as long they take. */
  readonly factor: number;
}

/** The service that {@link faults} simulates: workers with one request each at a time, a queue before the workers, and troubles. */
export interface FaultScenario {
  /** How many requests are served at once. Together with `serviceMs` this is the capacity. */
  readonly workers: number;
  /** The mean time to serve a request, in milliseconds. */
  readonly serviceMs: number;
  /**
   * The distribution of the time to serve.
   * @default 'exponential'
   */
  readonly serviceSpread?: Spread | undefined;
  /** @default none */
  readonly stragglers?: Stragglers | undefined;
  /**
   * How many requests may wait for a worker.
   * @default Infinity
   */
  readonly maxQueue?: number | undefined;
  /**
   * The answer to requests beyond `maxQueue`: a 503 or a 429, at once.
   * @default 'unavailable'
   */
  readonly queueFull?: 'unavailable' | 'too-many' | undefined;
  /**
   * The Retry-After of that answer, in whole seconds.
   * @default none
   */
  readonly retryAfterSeconds?: number | undefined;
  /** @default none */
  readonly limit?: ServiceLimit | undefined;
  /**
   * The number of services behind one name, each with its own workers, queue and limit. The URL of a request decides on the service, so
   * that a retry goes to the same service.
   * @default 1
   */
  readonly shards?: number | undefined;
  /** @default none */
  readonly troubles?: readonly Trouble[] | undefined;
  /**
   * Makes what the service answers to a request that it has served, if its client still waits.
   * @default an empty response with status 200
   */
  readonly respond?:
    | ((input: string | URL | Request, init?: RequestInit) => Response | Promise<Response>)
    | undefined;
  /** @default the clock of the system */
  readonly clock?: Clock | undefined;
}
