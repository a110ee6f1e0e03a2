import type { Grant } from './limits.ts';
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

/** Where a response or an error carries its history. Shared by every copy of this package in a program. */
export const ATTEMPTS: unique symbol = Symbol.for('@ebb/core attempts');

/** For what cannot carry its own: frozen errors, say. */
const histories = new WeakMap<object, readonly Attempt[]>();

/**
 * Keeps the history of what a caller is given: a response, or an error. It lies in a property that no listing,
 * copy or comparison shows; a `WeakMap` for all would cost a request more than everything else here.
 */
export function remember(result: unknown, history: readonly Attempt[]): void {
  if (typeof result !== 'object' || result === null) return;
  if (Object.isExtensible(result)) {
    Object.defineProperty(result, ATTEMPTS, { value: history, configurable: true, writable: true });
  } else histories.set(result, history);
}

/**
 * The attempts that led to a response or an error which an ebb client gave; empty for anything else.
 */
export function attemptsOf(result: unknown): readonly Attempt[] {
  if (typeof result !== 'object' || result === null) return [];
  return (result as { readonly [ATTEMPTS]?: readonly Attempt[] })[ATTEMPTS] ?? histories.get(result) ?? [];
}

const grants = new WeakMap<readonly Attempt[], Grant>();

/** Keeps the tokens of a history's last attempt. */
export function keepGrant(history: readonly Attempt[], grant: Grant): void {
  grants.set(history, grant);
}

/**
 * The tokens that the last attempt took, for a response or an error which an ebb client gave: to settle what it
 * cost, where that is known only afterwards. `undefined` where no bucket was asked.
 */
export function grantOf(result: unknown): Grant | undefined {
  return grants.get(attemptsOf(result));
}
