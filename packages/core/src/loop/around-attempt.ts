import type { RequestTraits } from '../http/outcome.ts';

/** An attempt that is being sent. */
export interface CurrentAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly request: RequestTraits;
}

/**
 * Called with each attempt as it is sent, to send it in an async context. It must call `send` once, before it returns, and
 * return what `send` returns.
 */
export type AroundAttempt = <T>(send: () => T, current: CurrentAttempt) => T;
