import type { Costs } from '../../loop/costs.ts';
import type { Amount, Weigh } from '../../queue/amount.ts';

/** The units of a bucket of several, by name for users and in their order inside. A bucket of one unit has none. */
export interface Units {
  /**
   * What a request costs. A unit that is not named costs 0.
   *
   * @param caller the name of the function in error messages
   * @param most the most of each unit that can be taken at once
   * @throws TypeError, RangeError for an unknown unit, for no unit, and for a number that a unit cannot have
   */
  amountOf(caller: string, cost: number | Costs, most: Amount): Amount;
  /**
   * What a server or a user says of units. One that is not named stays as it is in `others`.
   *
   * @throws TypeError, RangeError for an unknown unit, and for a number that is negative or not finite
   */
  read(name: string, said: number | Costs, others: Amount): Amount;
  /** The amount by name. */
  costsOf(amount: Amount): Costs;
  /** The largest cost ÷ refill over the units, in seconds. */
  readonly weigh: Weigh;
}
