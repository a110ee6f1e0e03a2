import type { Clock, Outcome, PolicyOptions, Random } from '@ebb/core';

/** A time with more, or fewer, new requests than otherwise. */
export interface Surge {
  readonly fromMs: number;
  readonly untilMs: number;
  /** How many times as many. */
  readonly factor: number;
}

/** Requests that arrive whether or not earlier ones are answered: users, other services. */
export interface OpenClients {
  /** Programs, each with its own bucket and budget. */
  readonly count: number;
  /** New requests of the whole fleet: a Poisson process. */
  readonly requestsPerSecond: number;
  /** @default none */
  readonly surges?: readonly Surge[] | undefined;
  /**
   * The number of paths that the requests are for, each as often; or the paths are those of the shards. A throttle tells paths apart.
   * @default 1
   */
  readonly paths?: number | 'shards' | undefined;
}

/** Programs that wait for an answer, think, and send the next request: workers, crawlers. */
export interface ClosedClients {
  readonly count: number;
  /** The mean time between an answer and the next request, in milliseconds. Exponentially distributed. */
  readonly thinkMs: number;
  /**
   * Requests that each client makes.
   * @default no limit
   */
  readonly requestsEach?: number | undefined;
}

/** Virtual time and seeded randomness. */
export interface Environment {
  readonly clock: Clock;
  readonly random: Random;
}

/** A client whose retry scheme is more than a policy can express. */
export interface CustomClient {
  readonly policy: PolicyOptions;
  /** Called for each new request, before its first attempt. */
  readonly onRequest?: (() => void) | undefined;
  /** Whether the next attempt may be sent. If not, its request fails. */
  readonly admit?: (() => boolean) | undefined;
  /** Called with the outcome of each attempt, counted from 1, before the policy decides about a retry. */
  readonly onOutcome?: ((outcome: Outcome, attempt: number) => void) | undefined;
}

/**
 * Makes one client of a fleet, for a retry scheme that is more than a policy. Called once for each of them.
 *
 * @example
 * ```ts
 * import { fullJitter } from '@ebb/core';
 * import { type ClientFactory, simulate } from '@ebb/simulator';
 *
 * // Sends nothing any more after ten failures in a row.
 * const policy: ClientFactory = () => {
 *   let failures = 0;
 *   return {
 *     policy: { backoff: fullJitter({ baseMs: 50, capMs: 2_000 }) },
 *     admit: () => failures < 10,
 *     onOutcome(outcome) {
 *       failures = outcome.type === 'response' && outcome.status < 400 ? 0 : failures + 1;
 *     },
 *   };
 * };
 *
 * const clients = { count: 100, requestsPerSecond: 400 };
 * const server = { workers: 10, serviceMs: 20 };
 * console.log(simulate({ durationMs: 60_000, clients, server, policy }).totals);
 * ```
 */
export type ClientFactory = (environment: Environment) => CustomClient;
