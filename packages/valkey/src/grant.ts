import type { Grant } from '@ebb/core';
import { check } from '@ebb/core/bucket';

/** Where tokens came from. */
export interface Source {
  /** Evens out what they cost in the end. `held` is the state of the bucket when they were leased. */
  evenOut(surplus: number, held: string | undefined): void;
}

/** Tokens out of a shared bucket. */
export class LeasedGrant implements Grant {
  readonly cost: number;
  readonly waitedMs: number;
  readonly grantedAtMs: number;
  readonly conforming: boolean;
  readonly #held: string | undefined;
  #source: Source | undefined;

  /** Without a source, there is nothing to even out. */
  constructor(
    cost: number,
    waitedMs: number,
    grantedAtMs: number,
    held: string | undefined,
    source: Source | undefined,
  ) {
    this.cost = cost;
    this.waitedMs = waitedMs;
    this.grantedAtMs = grantedAtMs;
    this.conforming = source !== undefined;
    this.#held = held;
    this.#source = source;
  }

  settle(actualCost: number): void {
    check.notNegative('settle: actualCost', actualCost);
    const source = this.#source;
    this.#source = undefined;
    if (actualCost !== this.cost) source?.evenOut(this.cost - actualCost, this.#held);
  }
}
