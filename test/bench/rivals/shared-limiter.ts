import type { Limiter, Promised, Quota } from './limiter.ts';

/** A library whose limit all processes share. One more rival is one more file in `shared-limiter`, and its name is its own. */
export interface SharedLimiterRival {
  readonly promised: Promised;
  /** As one process of a fleet makes it, with a connection of its own. Intervals are multiples of five seconds. */
  make(storeUrl: string, quota: Quota): Promise<Limiter>;
}
