import { proseOf } from '#prose';
import { notNegative, wrongRange, wrongType } from '../../base/check.ts';
import type { Costs } from '../../loop/costs.ts';
import { type Amount, NUMBERS, type Sums } from '../../queue/queue.ts';

/** The units of a bucket of several, by name for users and in their order inside. What they weigh is the largest cost ÷ refill. */
export interface Units extends Sums {
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
  costsOf(amount: Amount): number | Costs;
}

/** A bucket of one unit: its costs are numbers. */
export const ONE_UNIT: Units = {
  ...NUMBERS,
  amountOf(caller, cost, most) {
    if (typeof cost === 'number' && cost > 0 && cost <= (most as number)) return cost;
    const takes = proseOf(() => `a number > 0 and ≤ the capacity, ${most}`);
    throw (typeof cost === 'number' ? wrongRange : wrongType)(`${caller}: cost`, takes, cost);
  },
  read(name, said) {
    notNegative(name, said);
    return said as number;
  },
  costsOf: (amount) => amount as number,
};
