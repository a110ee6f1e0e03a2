import type { Amount, WaitingQueue } from '@ebb/core/bucket';
import type { Amounts } from './store-call.ts';

/** The requests in the queue and their costs, in millionths of a token of each unit. */
export interface Backlog {
  /** How many requests wait. */
  readonly count: number;
  /** The cost of the first request; 0 if none waits. */
  readonly firstCost: Amounts;
  /** When the first request gives up; `Infinity` if never. */
  readonly firstDeadlineMs: number;
  /** The cost of all requests. */
  readonly totalCost: Amounts;
  /** The sum of the weights of the waiting keys, if requests have keys. */
  readonly shares?: number | undefined;
  /**
   * The cost of the first requests: those that `covered` tokens pay for, and then at least one and at most `more`
   * others, while all of them cost at most `covered + most`.
   */
  through(covered: Amounts, more: number, most: Amounts): Amounts;
}

/** Millionths of a token, rounded up. */
export const micro = (tokens: number): number => Math.ceil(tokens * 1e6);

/** Millionths of a token of each unit, rounded up. */
export const micros = (cost: Amount): Amounts => (typeof cost === 'number' ? [micro(cost)] : cost.map(micro));

/** Whether any unit of an amount is more than that of another. */
export function isMore(one: Amounts, other: Amounts): boolean {
  for (let unit = 0; unit < one.length; unit += 1) {
    if ((one[unit] as number) > (other[unit] as number)) return true;
  }
  return false;
}

const plus = (one: Amounts, other: Amounts): Amounts =>
  one.map((amount, unit) => amount + (other[unit] as number));

/** {@link Backlog.through} for these costs. */
function costThrough(
  costs: Iterable<{ readonly cost: Amount }>,
  covered: Amounts,
  more: number,
  most: Amounts,
): Amounts {
  const bound = plus(covered, most);
  let sum: Amounts = covered.map(() => 0);
  let left = more;
  for (const { cost } of costs) {
    if (left <= 0) break;
    const next = plus(sum, micros(cost));
    if (left < more && isMore(next, bound)) break;
    sum = next;
    if (isMore(sum, covered)) left -= 1;
  }
  return sum.map((amount, unit) => Math.max(amount, covered[unit] as number));
}

/** The backlog of a queue, of so many units. */
export function backlogOf({ size, queue }: WaitingQueue<Amount>, units: number): Backlog {
  const { first } = queue;
  const nothing = new Array<number>(units).fill(0);
  if (first === undefined) {
    return {
      ...{ count: 0, firstCost: nothing, firstDeadlineMs: Number.POSITIVE_INFINITY, totalCost: nothing },
      through: (covered) => covered,
    };
  }
  const firstCost = micros(first.cost);
  const totalCost = micros(queue.cost);
  return {
    count: size,
    firstCost,
    firstDeadlineMs: first.deadlineMs,
    shares: queue.shares,
    // A sum of fractions may be a little less than its only part.
    totalCost: totalCost.map((amount, unit) => Math.max(firstCost[unit] as number, amount)),
    through: (covered, more, most) => costThrough(queue, covered, more, most),
  };
}
