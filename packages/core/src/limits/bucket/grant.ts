import { notNegative } from '../../base/check.ts';
import type { Grant } from '../contracts.ts';
import type { Held } from './levels.ts';

/** Where tokens came from. */
export interface Source {
  evenOut(surplus: number, held: Held): void;
}

/** Tokens out of a bucket in memory; out of none where they were granted with a mark. */
export class TokenGrant implements Grant {
  readonly cost: number;
  readonly waitedMs: number;
  readonly grantedAtMs: number;
  readonly #held: Held | undefined;
  #source: Source | undefined;

  constructor(
    cost: number,
    waitedMs: number,
    grantedAtMs: number,
    held: Held | undefined,
    source: Source | undefined,
  ) {
    this.cost = cost;
    this.waitedMs = waitedMs;
    this.grantedAtMs = grantedAtMs;
    this.#held = held;
    this.#source = source;
  }

  get conforming(): boolean {
    return this.#held !== undefined;
  }

  settle(actualCost: number): void {
    notNegative('settle: actualCost', actualCost);
    const source = this.#source;
    this.#source = undefined;
    if (this.#held !== undefined && actualCost !== this.cost) {
      source?.evenOut(this.cost - actualCost, this.#held);
    }
  }
}
