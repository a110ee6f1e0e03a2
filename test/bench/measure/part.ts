/** One thing to measure. Rows of one group are compared with each other. */
export interface Row {
  readonly group: string;
  readonly name: string;
}

/** What one process measured for one row. */
export type Sample = Readonly<Record<string, number>>;

export interface Column {
  readonly title: string;
  readonly value: (sample: Sample) => number;
  /** @default 0 */
  readonly digits?: number;
  /** Shows the quartiles over the rounds beside the median. @default false */
  readonly spread?: boolean;
}

/** A table: each row is measured in a process of its own, once a round. */
export interface Part {
  readonly title: string;
  /** What the numbers mean, and how they are measured. */
  readonly note: string;
  readonly columns: readonly Column[];
  /** Whether the first column ranks ebb among its rivals. Less is better. @default true */
  readonly ranked?: boolean;
  /** @default 3 */
  readonly rounds?: number;
  /**
   * Shows a column for each name, and for each column of the part a row for each group: for many groups of the same names.
   * @default false
   */
  readonly turned?: boolean;
  /** The numbers are the same on every machine. @default false */
  readonly inVirtualTime?: boolean;
  /** For the processes. */
  readonly flags?: readonly string[];
  rows(): Promise<readonly Row[]>;
  /** Runs in a process of its own. */
  measure(row: Row): Promise<Sample>;
}

/** The row that measures bare against bare: how far from zero a measurement of nothing is. */
export const NOISE = 'A/A: bare against bare';

export function isOurs(name: string): boolean {
  return /^ebb\b/.test(name);
}
