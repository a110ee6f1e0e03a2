import { prose, proseOf } from '#prose';
import { notNegative, wrongRange } from '../../base/check.ts';
import { mustHaveFields, nameOf, unknownOption } from '../../base/option-error.ts';
import type { Costs } from '../../loop/costs.ts';
import { type Amount, inUnit } from '../../queue/amount.ts';
import type { Quota } from './gcra.ts';
import type { Units } from './units.ts';

/** Units by name. Any name will do: `__proto__` is one like others. */
export class NamedUnits implements Units {
  readonly names: readonly string[];
  /** Nothing of each: a copy has the right size from the start. */
  readonly #none: readonly number[];
  readonly #rates: readonly Pick<Quota, 'refillPerSecond'>[];

  /** @param rates the rate of each unit, as it is at the time */
  constructor(names: readonly string[], rates: readonly Pick<Quota, 'refillPerSecond'>[]) {
    this.names = names;
    this.#none = names.map(() => 0);
    this.#rates = rates;
  }

  amountOf(caller: string, cost: number | Costs, most: Amount): readonly number[] {
    const { names } = this;
    const amount = this.#none.slice();
    let unread = 0;
    let sum = 0;
    if (typeof cost === 'object') for (const _ in cost) unread += 1;
    for (let unit = 0; unread > 0 && unit < names.length; unit += 1) {
      const part = (cost as Costs)[names[unit] as string];
      if (!(typeof part === 'number' && part >= 0 && part <= inUnit(most, unit))) continue;
      amount[unit] = part;
      sum += part;
      unread -= 1;
    }
    return unread === 0 && sum > 0 ? amount : this.#checked(`${caller}: cost`, cost, most);
  }

  /** What is no object of numbers that fit. */
  #checked(name: string, cost: number | Costs, most: Amount): readonly number[] {
    const amount = this.read(name, cost, 0);
    amount.forEach((part, unit) => {
      if (part <= inUnit(most, unit)) return;
      const takes = proseOf(() => `at most the capacity, ${inUnit(most, unit)}`);
      throw wrongRange(nameOf(name, this.names[unit] as string), takes, part);
    });
    if (!amount.some((part) => part > 0)) throw wrongRange(name, prose('above 0 in a unit'), cost);
    return amount;
  }

  read(name: string, said: number | Costs, others: Amount): readonly number[] {
    const amount = this.#none.slice();
    let unread = 0;
    if (typeof said === 'object') for (const _ in said) unread += 1;
    const isNoUnit = unread === 0;
    for (let unit = 0; unit < amount.length; unit += 1) {
      const part = isNoUnit ? undefined : (said as Costs)[this.names[unit] as string];
      const isRead = typeof part === 'number' && part >= 0 && part < Number.POSITIVE_INFINITY;
      if (isRead) unread -= 1;
      amount[unit] = isRead ? part : inUnit(others, unit);
    }
    if (unread > 0) this.#refuse(name, said as Costs);
    if (!isNoUnit) return amount;
    if (typeof said === 'number') {
      notNegative(name, said);
      return amount.fill(said);
    }
    mustHaveFields(name, prose('a number, or an object with a number for each unit'), said);
    return amount;
  }

  /** @throws TypeError, RangeError for what {@link read} has not read */
  #refuse(name: string, said: Costs): void {
    mustHaveFields(name, prose('a number, or an object with a number for each unit'), said);
    for (const [unit, part] of Object.entries(said)) {
      if (!this.names.includes(unit))
        throw unknownOption(
          name,
          unit,
          part,
          this.byName(() => 0),
        );
      notNegative(nameOf(name, unit), part);
    }
  }

  costsOf(amount: Amount): Costs {
    return this.byName((unit) => inUnit(amount, unit));
  }

  byName<T>(find: (unit: number) => T): Readonly<Record<string, T>> {
    return Object.fromEntries(this.names.map((name, unit) => [name, find(unit)]));
  }

  readonly weigh = (amount: Amount): number => {
    let most = 0;
    for (let unit = 0; unit < this.#rates.length; unit += 1) {
      most = Math.max(most, inUnit(amount, unit) / (this.#rates[unit] as Quota).refillPerSecond);
    }
    return most;
  };
}

/** For a bucket of one unit that stands in front of one of several: takes its unit out of their costs. */
export function oneOf(units: NamedUnits, unit: number): Units {
  return {
    amountOf: (caller, cost) => inUnit(units.amountOf(caller, cost, Number.POSITIVE_INFINITY), unit),
    read: (name, said, other) => inUnit(units.read(name, said, other), unit),
    costsOf: (amount) => amount as unknown as Costs,
    weigh: (amount) => amount as number,
  };
}
