import type { FailureKind, Outcome } from '../http/outcome.ts';
import type { Grant } from '../limits/contracts.ts';
import type { RetryReason, StopReason } from '../policy/reason.ts';
import { type Stamp, sharedStamp } from './stamp.ts';

/** One attempt of a request, as it is remembered. Holds no URL, header or body. */
export interface Attempt {
  /** From 1. */
  readonly attempt: number;
  /** What was waited before it was sent, for backoff or `Retry-After`, in milliseconds. */
  readonly delayMs: number;
  /** What was waited for tokens and a slot after that, in milliseconds. */
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

/** What is remembered of an attempt. */
export function recordOf(
  attempt: number,
  delayMs: number,
  throttledMs: number,
  outcome: Outcome,
  reason: Attempt['reason'],
): Attempt {
  return outcome.type === 'response'
    ? { attempt, delayMs, throttledMs, status: outcome.status, reason }
    : { attempt, delayMs, throttledMs, failure: outcome.kind, ...codeOf(outcome.error), reason };
}

/** The code that an error or one of its causes has, or the error's name. */
function codeOf(error: unknown): { code?: string } {
  try {
    for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 8; depth += 1) {
      const { code, cause } = at as { code?: unknown; cause?: unknown };
      if (typeof code === 'string') return { code };
      at = cause;
    }
    return error instanceof Error ? { code: error.name } : {};
  } catch {
    // Some errors throw when they are looked at.
    return {};
  }
}

/** The history of an object that several calls ended with: it can tell of none of them. */
const OF_MANY: readonly Attempt[] = [];

/**
 * Keeps the history of a call that ended with the reason of its signal. That object belongs to the caller, and
 * may end many calls.
 */
export function rememberReason(reason: unknown, history: readonly Attempt[]): void {
  const isFirst = typeof reason !== 'object' || reason === null || histories.get(reason) === undefined;
  remember(reason, isFirst ? history : OF_MANY);
}

const histories: Stamp<readonly Attempt[]> = /* @__PURE__ */ sharedStamp('histories');

/** Keeps the history of what a caller is given: a response, or an error. */
export function remember(result: unknown, history: readonly Attempt[]): void {
  if (typeof result === 'object' && result !== null) histories.put(result, history);
}

/**
 * The attempts that led to a response or an error which an ebb client gave; empty for anything else.
 *
 * @example
 * ```ts
 * import { attemptsOf } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const response = await createFetch()('https://api.example.com/');
 * for (const { attempt, status, reason } of attemptsOf(response)) console.log(attempt, status, reason);
 * ```
 */
export function attemptsOf(result: unknown): readonly Attempt[] {
  if (typeof result !== 'object' || result === null) return [];
  return histories.get(result) ?? recalledOfCopy(result) ?? [];
}

/** undici's redirect interceptor copies the context of a response, but the list of URLs in it stays the same. */
function recalledOfCopy(result: object): readonly Attempt[] | undefined {
  try {
    const { history } = result as { readonly history?: unknown };
    return Array.isArray(history) ? histories.get(history) : undefined;
  } catch {
    // Some errors throw when they are looked at.
    return undefined;
  }
}

const grants: Stamp<Grant> = /* @__PURE__ */ sharedStamp('grants');

/** Keeps the tokens of a history's last attempt. */
export function keepGrant(history: readonly Attempt[], grant: Grant): void {
  grants.put(history, grant);
}

/**
 * The tokens that the last attempt took, for a response or an error which an ebb client gave: to settle what it
 * cost, where that is known only afterwards. `undefined` where no bucket was asked.
 *
 * @example
 * ```ts
 * import { grantOf, tokenBucket } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const fetch = createFetch({ bucket: tokenBucket({ refillPerSecond: 1_000, capacity: 10_000 }), cost: 500 });
 * const response = await fetch('https://api.example.com/');
 * grantOf(response)?.settle(120); // Gives the other 380 tokens back.
 * ```
 */
export function grantOf(result: unknown): Grant | undefined {
  return grants.get(attemptsOf(result));
}
