import type { FailureKind } from './outcome.ts';
import type { RetryReason, StopReason } from './reason.ts';

/** One attempt of a request, as it is remembered. Holds no URL, header or body. */
export interface Attempt {
  /** From 1. */
  readonly attempt: number;
  /** What was waited before it was sent, for backoff or `Retry-After`, in milliseconds. */
  readonly delayMs: number;
  /** What was waited for tokens after that, in milliseconds. */
  readonly throttledMs: number;
  /** The status of its response. */
  readonly status?: number;
  /** What failed, where there was no response. */
  readonly failure?: FailureKind;
  /** The error's code, or its name. */
  readonly code?: string;
  /** What was decided after it. */
  readonly reason: RetryReason | StopReason;
}

const histories = new WeakMap<object, readonly Attempt[]>();

/** Keeps the history of what a caller is given: a response, or an error. */
export function remember(result: unknown, history: readonly Attempt[]): void {
  if ((typeof result === 'object' && result !== null) || typeof result === 'function') {
    histories.set(result, history);
  }
}

/**
 * Where an object that an adapter makes for each request carries its history. It is had at a fraction of what
 * {@link remember} costs.
 */
export const ATTEMPTS: unique symbol = Symbol.for('@ebb/core attempts');

/**
 * The attempts that led to a response or an error which an ebb client gave; empty for anything else.
 */
export function attemptsOf(result: unknown): readonly Attempt[] {
  if (typeof result !== 'object' || result === null) return [];
  return histories.get(result) ?? (result as { readonly [ATTEMPTS]?: readonly Attempt[] })[ATTEMPTS] ?? [];
}
