/**
 * What requests cost, or what there is: tokens. At a limit of several units it is the tokens of each, in the order of its units; a
 * number is then so many of each. A limit of one unit has numbers only.
 */
export type Amount = number | readonly number[];

/** The part of an amount that is in one unit. */
export function inUnit(amount: Amount, unit: number): number {
  return typeof amount === 'number' ? amount : (amount[unit] as number);
}

/** The sum, unit by unit. */
export function plus(one: Amount, other: Amount): Amount {
  if (typeof other !== 'number') return other.map((part, unit) => inUnit(one, unit) + part);
  return typeof one === 'number' ? one + other : plus(other, one);
}

/** The difference, unit by unit. */
export function minus(one: Amount, other: Amount): Amount {
  return plus(one, typeof other === 'number' ? -other : other.map((part) => -part));
}

/** Whether an amount is larger than another in any unit. */
export function exceeds(one: Amount, other: Amount): boolean {
  if (typeof one !== 'number') return one.some((part, unit) => part > inUnit(other, unit));
  return typeof other === 'number' ? one > other : other.some((part) => one > part);
}

/** What an amount weighs against others, for a queue that shares out what there is. */
export type Weigh = (amount: Amount) => number;

/** At a limit of one unit. */
export const itself: Weigh = (amount) => amount as number;
