import { devText, devTextOf } from '#dev-text';
import { nameOf, notNegative, wrongRange, wrongType } from '../../base/check.ts';
import { mustHaveFields, unknownOption } from '../../base/options.ts';
import type { Costs } from '../../policy/contracts.ts';
import { type Amount, inUnit, NUMBERS, type Sums } from '../../queue/queue.ts';
import type { Quota } from './gcra.ts';

/** The units of a bucket of several, by name for users and in their order inside. The weight of an amount is its largest cost ÷ refill. */
export interface Units extends Sums {
  /**
   * The cost of a request, as an amount. A unit that is not named costs 0.
   *
   * @param caller the name of the function in error messages
   * @param most the most of each unit that can be taken at once
   * @throws TypeError, RangeError for an unknown unit, for no unit, and for a number that a unit cannot have
   */
  amountOf(caller: string, cost: number | Costs, most: Amount): Amount;
  /**
   * Reads numbers of units from a server or a user. A unit that is not named stays as it is in `others`.
   *
   * @throws TypeError, RangeError for an unknown unit, and for a number that is negative or not finite
   */
  read(name: string, said: number | Costs, others: Amount): Amount;
  /** The amount by name. */
  costsOf(amount: Amount): number | Costs;
}

function wrongCost(caller: string, cost: number | Costs, most: Amount): Error {
  const takes = devTextOf(() => `a number > 0 and ≤ the capacity, ${most}`);
  return (typeof cost === 'number' ? wrongRange : wrongType)(`${caller}: cost`, takes, cost);
}

/** A bucket of one unit: its costs are numbers. */
export const ONE_UNIT: Units = {
  ...NUMBERS,
  amountOf(caller, cost, most) {
    if (!(typeof cost === 'number' && cost > 0 && cost <= (most as number)))
      throw wrongCost(caller, cost, most);
    return cost;
  },
  read(name, said) {
    notNegative(name, said);
    return said as number;
  },
  costsOf: (amount) => amount as number,
};

/** Units by name. Any name will do: `__proto__` is one like others. */
export class NamedUnits implements Units {
  readonly names: readonly string[];
  readonly #rates: readonly Pick<Quota, 'refillPerSecond'>[];

  /** @param rates the rate of each unit, as it is at the time */
  constructor(names: readonly string[], rates: readonly Pick<Quota, 'refillPerSecond'>[]) {
    this.names = names;
    this.#rates = rates;
  }

  amountOf(caller: string, cost: number | Costs, most: Amount): readonly number[] {
    const name = `${caller}: cost`;
    const amount = this.read(name, cost, 0);
    const large = amount.findIndex((part, unit) => part > inUnit(most, unit));
    if (large >= 0) {
      const takes = devTextOf(() => `at most the capacity, ${inUnit(most, large)}`);
      throw wrongRange(nameOf(name, this.names[large] as string), takes, amount[large]);
    }
    if (!amount.some((part) => part > 0)) throw wrongRange(name, devText('above 0 in a unit'), cost);
    return amount;
  }

  read(name: string, said: number | Costs, others: Amount): readonly number[] {
    const isNumber = typeof said === 'number';
    if (isNumber) notNegative(name, said);
    else mustHaveFields(name, devText('a number, or an object with a number for each unit'), said);
    const amount = this.names.map((_, unit) => (isNumber ? said : inUnit(others, unit)));
    // A number has no entries.
    for (const [unit, part] of Object.entries(said as Costs)) {
      const at = this.names.indexOf(unit);
      if (at < 0) {
        const known = this.byName(() => 0);
        throw unknownOption(name, unit, part, known);
      }
      // The name is put together for an error alone.
      if (!(typeof part === 'number' && part >= 0 && part <= Number.MAX_VALUE))
        notNegative(nameOf(name, unit), part);
      amount[at] = part;
    }
    return amount;
  }

  costsOf(amount: Amount): Costs {
    return this.byName((unit) => inUnit(amount, unit));
  }

  byName<T>(find: (unit: number) => T): Readonly<Record<string, T>> {
    return Object.fromEntries(this.names.map((name, unit) => [name, find(unit)]));
  }

  plus(one: Amount, other: Amount, times = 1): readonly number[] {
    return this.names.map((_, unit) => inUnit(one, unit) + inUnit(other, unit) * times);
  }

  exceeds(one: Amount, other: Amount): boolean {
    return this.names.some((_, unit) => inUnit(one, unit) > inUnit(other, unit));
  }

  weigh(amount: Amount): number {
    return Math.max(...this.#rates.map((rate, unit) => inUnit(amount, unit) / rate.refillPerSecond));
  }
}
