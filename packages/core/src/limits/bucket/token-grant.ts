import type { Costs, Grant } from '../../policy/contracts.ts';
import type { Amount } from '../../queue/queue.ts';
import type { OriginLevel } from './paused-origins.ts';

/** The bucket that a grant came from. */
interface Granter {
  /** The tokens that a request has taken beyond its actual cost. @throws TypeError, RangeError for a wrong cost */
  surplusOf(cost: number | Costs, actualCost: number | Costs): Amount;
  giveBack(surplus: Amount, held: unknown): void;
}

/** The record of a grant that has also taken from the level of an origin. */
export class OriginHold {
  readonly held: unknown;
  readonly level: OriginLevel;
  readonly heldThere: unknown;

  constructor(held: unknown, level: OriginLevel, heldThere: unknown) {
    this.held = held;
    this.level = level;
    this.heldThere = heldThere;
  }
}

/** Tokens from a bucket. Tokens that do not conform came from nowhere, and are not settled. */
export class TokenGrant implements Grant {
  cost: number | Costs;
  readonly waitedMs: number;
  readonly grantedAtMs: number;
  readonly conforming: boolean;
  /** The unit that was lacking, if the bucket has several and the request has waited. */
  declare unit?: string | undefined;
  /** The record of this grant, for the source. */
  readonly #held: unknown;
  readonly #bucket: Granter;
  #isOpen: boolean;

  constructor(
    cost: number | Costs,
    waitedMs: number,
    grantedAtMs: number,
    held: unknown,
    bucket: Granter,
    conforming: boolean,
  ) {
    this.cost = cost;
    this.waitedMs = waitedMs;
    this.grantedAtMs = grantedAtMs;
    this.conforming = conforming;
    this.#held = held;
    this.#bucket = bucket;
    this.#isOpen = conforming;
  }

  /** The record of a grant, for its source; `undefined` for a grant of another kind. */
  static heldBy(grant: Grant): unknown {
    const held = #held in grant ? grant.#held : undefined;
    return held instanceof OriginHold ? held.held : held;
  }

  settle(actualCost: number | Costs): void {
    const surplus = this.#bucket.surplusOf(this.cost, actualCost);
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#bucket.giveBack(surplus, this.#held);
  }
}
