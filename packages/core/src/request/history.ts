import { codeOf } from '../http/failure-code.ts';
import type { FailureKind, Outcome } from '../http/outcome.ts';
import type { Grant } from '../limits/contracts.ts';
import type { RetryReason, StopReason } from '../policy/reason.ts';
import { type Stamp, sharedStamp } from './stamp.ts';

/** One attempt of a request. Contains no URL, header or body. */
export interface Attempt {
  /** From 1. */
  readonly attempt: number;
  /** The delay before it, for backoff or `Retry-After`, in milliseconds. */
  readonly delayMs: number;
  /** The wait for its slot and its tokens after that, in milliseconds. */
  readonly throttledMs: number;
  /** The status of its response. */
  readonly status?: number;
  /** What failed, if there was no response. */
  readonly failure?: FailureKind;
  /** The code of the error or of one of its causes, else the name of the error. */
  readonly code?: string;
  /** Why it was followed by another attempt, or by none. */
  readonly reason: RetryReason | StopReason;
}

/** The entry of an attempt in the history. */
export function recordOf(
  attempt: number,
  delayMs: number,
  throttledMs: number,
  outcome: Outcome,
  reason: Attempt['reason'],
): Attempt {
  if (outcome.type === 'response') return { attempt, delayMs, throttledMs, status: outcome.status, reason };
  const code = codeOf(outcome.error);
  const failed = { attempt, delayMs, throttledMs, failure: outcome.kind };
  return code === undefined ? { ...failed, reason } : { ...failed, code, reason };
}

/** The history of an object that ended several calls, and so has no history of its own. */
const OF_MANY: readonly Attempt[] = [];

const histories: Stamp<readonly Attempt[]> = /* @__PURE__ */ sharedStamp('histories');

/** Notes the history of what a caller gets: a response, or an error. */
export function remember(result: unknown, history: readonly Attempt[]): void {
  if (typeof result === 'object' && result !== null) histories.put(result, history);
}

/** Notes the history of a call that ended with the reason of its signal. The caller owns that object, and may use it again. */
export function rememberReason(reason: unknown, history: readonly Attempt[]): void {
  const isFirst = typeof reason !== 'object' || reason === null || histories.get(reason) === undefined;
  remember(reason, isFirst ? history : OF_MANY);
}

/**
 * The attempts that led to a response or an error of an ebb client; empty for anything else.
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
  return histories.get(result) ?? historyOfCopy(result) ?? [];
}

/** undici's redirect interceptor copies the context of a response, but the list of URLs in it stays the same object. */
function historyOfCopy(result: object): readonly Attempt[] | undefined {
  try {
    const { history } = result as { readonly history?: unknown };
    return Array.isArray(history) ? histories.get(history) : undefined;
  } catch {
    // The getters of some errors throw.
    return undefined;
  }
}

const grants: Stamp<Grant> = /* @__PURE__ */ sharedStamp('grants');

/** Notes the tokens of the last attempt of a history. */
export function keepGrant(history: readonly Attempt[], grant: Grant): void {
  grants.put(history, grant);
}

/**
 * The tokens of the last attempt, for a response or an error of an ebb client: to settle a cost that is known only after
 * the response. `undefined` if the policy has no bucket.
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
