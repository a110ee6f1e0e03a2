/** What the waiting requests need, in millionths of a token. */
export interface Backlog {
  /** The cost of the first request in line; 0 if none waits. */
  readonly first: number;
  /** The cost of all of them. */
  readonly all: number;
  /** How many wait. */
  readonly count: number;
  /**
   * The cost of the first requests in line: those that `covered` tokens pay for, and then at least one and at most `more`
   * others, while all of them cost at most `covered + most`.
   */
  through(covered: number, more: number, most: number): number;
  /** When the first request gives up; `Infinity` if never. */
  readonly untilMs: number;
}

/** No request waits. */
export const EMPTY_BACKLOG: Backlog = {
  ...{ first: 0, all: 0, count: 0, untilMs: Number.POSITIVE_INFINITY },
  through: (covered) => covered,
};
