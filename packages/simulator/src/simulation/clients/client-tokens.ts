import type { Costs, Outcome } from '@ebb/core';

/** The tokens of all clients of a fleet. Every request costs the same. */
export interface ClientTokens {
  take(client: number, nowMs: number): boolean;
  /** Called with the request that gets the last taken tokens. */
  keep?(request: number): void;
  /** How long until the tokens of so many requests have come in, in milliseconds; 0 if they can be taken now. */
  waitMs(client: number, requests: number, nowMs: number): number;
  /** How long until the tokens of one request may be there, in milliseconds, if nothing is given back before. */
  dueMs(client: number, nowMs: number): number;
  /**
   * Passes on the outcome of an attempt whose tokens were granted at a time, after a wait. Returns whether tokens may have
   * been given back.
   *
   * @param spent what the answer says that the request has spent
   */
  observe(
    client: number,
    request: number,
    outcome: Outcome,
    grantedAtMs: number,
    waitedMs: number,
    spent: Costs | undefined,
  ): boolean;
}
