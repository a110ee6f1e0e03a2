/** One thing to measure. Rows of one group are compared with each other. */
export interface Row {
  readonly group: string;
  readonly name: string;
}

/** What one process measured for one row. */
export type Sample = Readonly<Record<string, number>>;

export interface Column {
  readonly title: string;
  /** `reference`: the medians of the row that the part names as such; without one, no values. */
  readonly value: (sample: Sample, reference: Sample) => number;
  /** @default 0 */
  readonly digits?: number;
  /** Shows the quartiles over the rounds beside the median. @default false */
  readonly spread?: boolean;
}

/** The lower end, the figure itself, and the upper end. */
export type Quantiles = readonly [low: number, middle: number, high: number];

export const QUARTILES: Quantiles = [0.25, 0.5, 0.75];

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
  /** The name of a row with which each row of its group is compared, if a process measures one subject only. */
  readonly reference?: string;
  /**
   * The shares of the rounds below which the figure of a row lies, and the ends of its spread. @default the quartiles
   */
  readonly quantiles?: Quantiles;
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

/** The row that others are compared with, where each subject has processes of its own. */
export const BARE = 'bare';

export function isOurs(name: string): boolean {
  return /^ebb\b/.test(name);
}
