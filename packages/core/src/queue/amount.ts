/**
 * What requests cost, or what there is: tokens. At a limit of several units it is the tokens of each, in the order of its units; a
 * number is then so many of each. A limit of one unit has numbers only.
 */
export type Amount = number | readonly number[];

/** The part of an amount that is in one unit. */
export function inUnit(amount: Amount, unit: number): number {
  return typeof amount === 'number' ? amount : (amount[unit] as number);
}

/** The sum, unit by unit: of the first, and so many times the second. */
export function plus(one: Amount, other: Amount, times = 1): Amount {
  const several = typeof one === 'number' ? other : one;
  if (typeof several === 'number') return (one as number) + several * times;
  // A copy has the right size from the start.
  const sum = several.slice();
  for (let unit = 0; unit < sum.length; unit += 1) {
    sum[unit] = inUnit(one, unit) + inUnit(other, unit) * times;
  }
  return sum;
}

/** The difference, unit by unit. */
export function minus(one: Amount, other: Amount): Amount {
  return plus(one, other, -1);
}

/** The smaller of two amounts, unit by unit. */
export function least(one: Amount, other: Amount): Amount {
  if (typeof one === 'number') return Math.min(one, inUnit(other, 0));
  return one.map((part, unit) => Math.min(part, inUnit(other, unit)));
}

/** Whether an amount is larger than another in any unit. */
export function exceeds(one: Amount, other: Amount): boolean {
  const over = minus(one, other);
  return typeof over === 'number' ? over > 0 : Math.max(...over) > 0;
}

/** What an amount weighs against others, for a queue that shares out what there is. */
export type Weigh = (amount: Amount) => number;

/** At a limit of one unit. */
export const itself: Weigh = (amount) => amount as number;
