import type { Costs, Grant } from '../../policy/contracts.ts';
import type { Amount } from '../../queue/queue.ts';
import type { Units } from './units.ts';

/** The bucket that a grant came from. */
interface Granter {
  readonly units: Units;
  /** See {@link TokenSource.settle}. */
  settleGrant(actual: Amount, amount: Amount, held: unknown): void;
}

/** Tokens from a bucket. Those that do not conform came from nowhere, and are not settled. */
export class TokenGrant implements Grant {
  readonly waitedMs: number;
  readonly grantedAtMs: number;
  readonly conforming: boolean;
  /** The unit that was lacking, if the bucket has several and the request has waited. */
  declare unit?: string | undefined;
  readonly #amount: Amount;
  /** What the source needs to know of it. */
  readonly #held: unknown;
  readonly #bucket: Granter;
  #isOpen: boolean;

  constructor(
    amount: Amount,
    waitedMs: number,
    grantedAtMs: number,
    held: unknown,
    bucket: Granter,
    conforming: boolean,
  ) {
    this.waitedMs = waitedMs;
    this.grantedAtMs = grantedAtMs;
    this.conforming = conforming;
    this.#amount = amount;
    this.#held = held;
    this.#bucket = bucket;
    this.#isOpen = conforming;
  }

  /** `undefined` for a grant of something else. */
  static heldBy(grant: Grant): unknown {
    return #held in grant ? grant.#held : undefined;
  }

  get cost(): number | Costs {
    return this.#bucket.units.costsOf(this.#amount);
  }

  settle(actualCost: number | Costs): void {
    const bucket = this.#bucket;
    const actual = bucket.units.read('settle: actualCost', actualCost, this.#amount);
    if (!this.#isOpen) return;
    this.#isOpen = false;
    bucket.settleGrant(actual, this.#amount, this.#held);
  }
}
