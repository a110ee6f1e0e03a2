import type { VirtualClock } from '@ebb/core/testing';

/** What an account may use in a minute. A library that knows one kind of tokens counts the kind that binds. */
export interface ModelLimits {
  readonly requests: number;
  readonly tokens: number;
}

/** What a model has answered. */
export interface Answer {
  readonly response: Response;
  /** The tokens of its `usage`; `undefined` of a refusal. */
  readonly used: number | undefined;
}

/**
 * Sends a request when the library lets it through.
 *
 * @param bound the most tokens that the request can use
 */
export type LimitedSend = (bound: number, send: () => Promise<Answer>) => Promise<Answer>;

/** A library, or a published rule, for the limits of a language model. One more rival is one more file in `model-limiter`. */
export interface ModelLimiterRival {
  /** How it is used here, which is how its own page advises. */
  readonly used: string;
  /** Globals for time are those of the clock. */
  make(limits: ModelLimits, clock: VirtualClock, random: () => number): LimitedSend;
}

/** LiteLLM's wait before it tries again, with its defaults: from 0.5 s doubled up to 8 s, and jitter. */
export function exponentialMs(failures: number, random: () => number): number {
  return Math.min(8_000, 500 * 2 ** failures) * (1 + 0.25 * random());
}
