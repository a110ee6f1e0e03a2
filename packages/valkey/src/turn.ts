/** What those in line wait for, in millionths of a token; 0 and 0 when no one waits. */
export interface Need {
  readonly first: number;
  readonly all: number;
  /** How many wait. */
  readonly count: number;
  /**
   * The tokens for the first requests in line: those that `covered` tokens pay for, the next one, and then up to `more`
   * requests in all as long as they cost no more than `most`.
   */
  through(covered: number, more: number, most: number): number;
  /** When the first gives up; `Infinity` if never. */
  readonly untilMs: number;
}

export const NO_NEED: Need = {
  ...{ first: 0, all: 0, count: 0, untilMs: Number.POSITIVE_INFINITY },
  through: (covered) => covered,
};
