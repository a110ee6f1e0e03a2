/** So many calls in each interval. Each library turns it into its own options. */
export interface Quota {
  readonly limit: number;
  readonly intervalMs: number;
}

/**
 * What a library says of the calls that it lets through. The capacity of a bucket is a fifth of the limit.
 *
 * - `'bucket'`: at most capacity + rate · t in any time t
 * - `'bucket since the start'`: at most that since the first call. Shared tokens may idle in a process before they are spent.
 * - `'any window'`: at most the limit in any interval, wherever it begins
 * - `'fixed windows'`: at most the limit in each of the intervals that follow one another
 */
export type Promised = 'bucket' | 'bucket since the start' | 'any window' | 'fixed windows';

/** Of one quota. */
export interface Limiter {
  /** Waits for its turn. */
  take(): Promise<unknown>;
  /** The same, and resolves with the time of the grant. Absent if the library tells only by resolving. */
  takeTimed?(): Promise<number>;
  /** Takes at once or not at all, without a promise. */
  tryTake?(): unknown;
  close?(): unknown;
}

/** A library that limits a rate. One more rival is one more file in `limiter`, and its name is its own. */
export interface LimiterRival {
  readonly promised: Promised;
  make(quota: Quota): Limiter;
  /**
   * How many callers can wait: `'few'` if it polls or takes so long for each that 100,000 would take many seconds, and
   * `'none'` if it refuses.
   *
   * @default 'many'
   */
  readonly waiters?: 'many' | 'few' | 'none';
  /** A program whose bundle contains it. Absent if it is part of another rival. */
  readonly bundle?: string;
}

/** Of a bucket for a quota: a fifth, as by ebb's own default. */
export function capacityOf({ limit }: Quota): number {
  return Math.max(1, Math.ceil(limit / 5));
}
