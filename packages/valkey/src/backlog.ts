import type { WaitingQueue } from '@ebb/core/bucket';

/** What the requests in the queue need, in millionths of a token. */
export interface Backlog {
  /** How many requests wait. */
  readonly count: number;
  /** The cost of the first request; 0 if none waits. */
  readonly firstCost: number;
  /** When the first request gives up; `Infinity` if never. */
  readonly firstDeadlineMs: number;
  /** The cost of all requests. */
  readonly totalCost: number;
  /**
   * The cost of the first requests: those that `covered` tokens pay for, and then at least one and at most `more`
   * others, while all of them cost at most `covered + most`.
   */
  through(covered: number, more: number, most: number): number;
}

/** No request waits. */
export const EMPTY_BACKLOG: Backlog = {
  ...{ count: 0, firstCost: 0, firstDeadlineMs: Number.POSITIVE_INFINITY, totalCost: 0 },
  through: (covered) => covered,
};

/** Millionths of a token, rounded up. */
export const micro = (tokens: number): number => Math.ceil(tokens * 1e6);

/** {@link Backlog.through} for these costs. */
function costThrough(costs: Iterable<number>, covered: number, more: number, most: number): number {
  let sum = 0;
  let left = more;
  for (const cost of costs) {
    if (left <= 0) break;
    const next = sum + micro(cost);
    if (left < more && next > covered + most) break;
    sum = next;
    if (sum > covered) left -= 1;
  }
  return Math.max(sum, covered);
}

/** The backlog of a queue. */
export function backlogOf(queue: WaitingQueue): Backlog {
  if (queue.size === 0) return EMPTY_BACKLOG;
  const firstCost = micro(queue.firstCost);
  return {
    count: queue.size,
    firstCost,
    firstDeadlineMs: queue.firstDeadlineMs,
    // A sum of fractions may be a little less than its only part.
    totalCost: Math.max(firstCost, micro(queue.cost)),
    through: (covered, more, most) => costThrough(queue.costsInTurn(), covered, more, most),
  };
}
