import { notNegative } from '../../base/check.ts';
import type { Grant } from '../contracts.ts';

/** Takes back what a grant did not need, and charges what it needs more. */
export interface Settles<Held> {
  settleGrant(surplus: number, held: Held): void;
}

/** Tokens from a bucket. Without a bucket to settle with, they do not conform: they came from nowhere. */
export class TokenGrant<Held> implements Grant {
  readonly cost: number;
  readonly waitedMs: number;
  readonly grantedAtMs: number;
  readonly conforming: boolean;
  readonly #held: Held;
  #bucket: Settles<Held> | undefined;

  constructor(
    cost: number,
    waitedMs: number,
    grantedAtMs: number,
    held: Held,
    bucket: Settles<Held> | undefined,
  ) {
    this.cost = cost;
    this.waitedMs = waitedMs;
    this.grantedAtMs = grantedAtMs;
    this.conforming = bucket !== undefined;
    this.#held = held;
    this.#bucket = bucket;
  }

  settle(actualCost: number): void {
    notNegative('settle: actualCost', actualCost);
    const bucket = this.#bucket;
    this.#bucket = undefined;
    if (actualCost !== this.cost) bucket?.settleGrant(this.cost - actualCost, this.#held);
  }
}
