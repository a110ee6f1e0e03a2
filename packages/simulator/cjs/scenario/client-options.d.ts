import type { Clock, Outcome, PolicyOptions, Random } from '@ebb/core';
/** Requests that arrive whether or not earlier ones are answered: users, other services. */
export interface OpenClients {
    /** Programs, each with its own bucket and budget. */
    readonly count: number;
    /** New requests of the whole fleet: a Poisson process. */
    readonly requestsPerSecond: number;
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
/** Makes one client of a fleet. Called once for each of them. */
export type ClientFactory = (environment: Environment) => CustomClient;
//# sourceMappingURL=client-options.d.ts.map