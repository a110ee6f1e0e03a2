import type { Outcome, RequestTraits } from '../http/outcome.ts';

/** Headers to set, by name; `undefined` removes one. Other headers stay. */
export type HeaderChanges = Readonly<Record<string, string | undefined>>;

/** An attempt that is about to be sent. */
export interface NextAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly request: RequestTraits;
  /** The outcome that the attempt follows; `undefined` for the first. */
  readonly previous: Outcome | undefined;
  /**
   * The time until the total timeout, in milliseconds, for a server that takes a deadline; `undefined` if the policy has no
   * total timeout.
   */
  readonly leftMs: number | undefined;
}

/**
 * Called before each attempt, after its wait. It returns headers to change in this attempt: each attempt starts with the
 * caller's headers again.
 */
export type BeforeAttempt = (
  next: NextAttempt,
) => HeaderChanges | undefined | Promise<HeaderChanges | undefined>;
