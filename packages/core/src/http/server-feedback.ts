import type { Check } from '../base/check.ts';
import { askedWaitMs, checkFeedback, isAboutLoad, sentAtMs } from './feedback.ts';
import { shortHeader } from './headers.ts';
import type { ReadFeedback, ResponseOutcome } from './outcome.ts';
import { quotasOf } from './quota-fields.ts';

/** Fields in milliseconds: OpenAI and Azure, Azure Cosmos DB, AWS. */
export const IN_MILLISECONDS: readonly string[] = [
  'retry-after-ms',
  'x-ms-retry-after-ms',
  'x-amz-retry-after',
];

/** The pause for a secondary limit of GitHub without a time, from GitHub's documentation of rate limits. */
const GITHUB_PAUSE_MS = 60_000;

/** True if a request was refused because of the rate. Stripe also limits concurrent requests, and sends the reason. */
function isTooFast(response: ResponseOutcome, paused: boolean): boolean {
  if (response.status !== 429) return response.status === 503 && paused;
  const reason = response.header('stripe-rate-limited-reason');
  return reason === undefined || reason.endsWith('-rate');
}

/** Reads whether the server wants a retry: `true` or `false` in lower case, as the SDKs of these providers read it. */
function shouldRetry(response: ResponseOutcome): boolean | undefined {
  const text = response.header('x-should-retry') ?? response.header('stripe-should-retry');
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** The rest of the quotas together: the smallest, and the longest time until there is more. */
function leastOf(quotas: ReturnType<typeof quotasOf>): { remaining: number | undefined; resetMs: number } {
  const remaining = quotas.length > 0 ? Math.min(...quotas.map((quota) => quota.remaining)) : undefined;
  return { remaining, resetMs: Math.max(0, ...quotas.map((quota) => quota.resetMs)) };
}

const read: ReadFeedback = (outcome, nowMs, cost = 1) => {
  if (outcome.type !== 'response') return undefined;
  const { status, advice } = outcome;
  // A redirect is about the origin that redirects, not about the target.
  if (status >= 300 && status < 400) return undefined;
  const isSuccess = status < 300;
  const quotas = quotasOf(
    outcome,
    () => sentAtMs(outcome, nowMs),
    isSuccess ? 1 : (cost as number),
    status === 429,
  );
  if (quotas.length === 0 && isSuccess && advice === undefined) return undefined;

  const isFinal = advice?.verdict === 'final';
  const isRefused = advice?.verdict === 'refused';
  const isGitHub = status === 429 && outcome.header('x-github-request-id') !== undefined;
  const ownMs = isSuccess && advice === undefined ? undefined : askedWaitMs(outcome, nowMs, IN_MILLISECONDS);
  const askedMs = longer(ownMs, advice?.waitMs);
  const saysTime = quotas.length > 0 || askedMs !== undefined || isGitHub;
  // A cached response has old fields.
  const isCached = saysTime && Number(shortHeader(outcome, 'age') ?? 0) > 0;
  const { remaining, resetMs } = leastOf(isCached ? [] : quotas);
  const waitMs = askedMs ?? (resetMs || (isGitHub ? GITHUB_PAUSE_MS : 0));
  // A used-up quota pauses every request. A wait asked for pauses them only if the response is about load.
  const isLoad = !isFinal && (isRefused || isAboutLoad(status));
  const pauseMs = isCached ? 0 : isLoad ? waitMs : resetMs;
  const tooFast = !isFinal && (isRefused ? status < 500 : isTooFast(outcome, pauseMs > 0));
  const retry = isSuccess ? undefined : shouldRetry(outcome);
  const saysNothing =
    quotas.length === 0 && waitMs === 0 && !tooFast && status !== 429 && retry === undefined;
  if (saysNothing || (isCached && waitMs === 0)) return undefined;
  return { pauseMs, remaining, tooFast, waitMs, shouldRetry: retry };
};

function longer(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : Math.max(one, other ?? 0);
}

/**
 * Reads what a response asks for: a wait (`Retry-After`, and `retry-after-ms`, `x-ms-retry-after-ms`, `x-amz-retry-after`
 * of some providers); the rest of quotas (the three generations of the IETF RateLimit fields, and the fields of GitHub,
 * OpenAI, Anthropic, Stripe and Kong); and whether to retry (`x-should-retry`, `stripe-should-retry`). The findings of `inspect`
 * in the body count as well. A wait that is asked for outranks the reset of a quota.
 *
 * A field does not say which unit it counts. So for a request of several units no wait follows from a remaining quota: the bucket
 * waits for its tokens.
 *
 * A success reports a pause only for a quota that is used up, a refusal also for one with less left than the request costs.
 * Ignored: malformed fields, cached quotas, and redirects. No rate is derived from a quota.
 *
 * Source: RFC 9110 §10.2.3; draft-ietf-httpapi-ratelimit-headers-10 §3 and §6, -07 §2, -06 §5; the SDKs of OpenAI, Anthropic
 * and Stripe for whether to retry.
 *
 * @example
 * ```ts
 * import { type ReadFeedback, serverFeedback, tokenBucket } from '@ebb/core';
 *
 * // Ignores rate headers on a 403.
 * const feedback: ReadFeedback = (outcome, nowMs, cost) =>
 *   outcome.type === 'response' && outcome.status === 403 ? undefined : serverFeedback(outcome, nowMs, cost);
 * const bucket = tokenBucket({ refillPerSecond: 50, feedback });
 * ```
 */
export const serverFeedback: ReadFeedback = /* @__PURE__ */ Object.assign<
  ReadFeedback,
  { readsFields: true }
>((outcome, nowMs, cost) => read(outcome, nowMs, cost), { readsFields: true });

/** The `feedback` of a bucket that reads quotas by default. */
export const FIELDS_OPTION: { readonly check: Check; readonly default: ReadFeedback } = {
  check: checkFeedback,
  default: serverFeedback,
};
