/**
 * A number of tokens: the cost of requests, or those that are available. At a limit of several units it is the tokens of each, in
 * the order of its units; a number is then so many of each. A limit of one unit has numbers only.
 */
export type Amount = number | readonly number[];

/** The part of an amount that is in one unit. */
export function inUnit(amount: Amount, unit: number): number {
  return typeof amount === 'number' ? amount : (amount[unit] as number);
}

/** How the amounts of a limit are added and compared. */
export interface Sums {
  /** The first, and so many times the second, unit by unit. */
  plus(one: Amount, other: Amount, times?: number): Amount;
  /** The smaller of two amounts, unit by unit. */
  least(one: Amount, other: Amount): Amount;
  /** Whether an amount is larger than another in any unit. */
  exceeds(one: Amount, other: Amount): boolean;
  /** The weight of an amount against others, for a queue that shares tokens among keys. */
  weigh(amount: Amount): number;
}

/** At a limit of one unit. */
export const NUMBERS: Sums = {
  plus: (one, other, times = 1) => (one as number) + (other as number) * times,
  least: (one, other) => Math.min(one as number, other as number),
  exceeds: (one, other) => one > other,
  weigh: (amount) => amount as number,
};
