import type { RequestTraits } from '../http/outcome.ts';

/** An attempt that is being sent. */
export interface CurrentAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly request: RequestTraits;
}

/**
 * Called with each attempt as it is sent. It must call `send` at once, for instance in an async context that it sets. Its own
 * result is ignored.
 */
export type AroundAttempt = (send: () => void, current: CurrentAttempt) => void;
