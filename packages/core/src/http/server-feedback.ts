import type { Outcome } from './outcome.ts';
import { quotasOf } from './quota-fields.ts';
import { parseHttpDate, retryAfterMs } from './retry-after.ts';

/** What a response says about the quota of the client. */
export interface Feedback {
  /** How long to send no requests, in milliseconds; 0 if the server does not ask for a pause. */
  readonly pauseMs: number;
  /** How many more requests, or other units, the server accepts now; `undefined` if it does not say. */
  readonly remaining: number | undefined;
  /** True if the request was refused because the rate was too high. */
  readonly tooFast: boolean;
}

/** Reads an outcome; `undefined` if it says nothing reliable about a quota. */
export type ReadFeedback = (outcome: Outcome, nowMs: number) => Feedback | undefined;

/** The pause for a secondary limit of GitHub without a time, from GitHub's documentation of rate limits. */
const GITHUB_PAUSE_MS = 60_000;

/** True if `Retry-After` on this status is about load, and not about a redirect or another condition of the resource. */
function isAboutLoad(status: number): boolean {
  return status === 403 || status === 413 || status === 429 || status >= 500;
}

type Responded = Extract<Outcome, { type: 'response' }>;

/** OpenAI and Azure send milliseconds in `retry-after-ms`, next to the whole seconds of `Retry-After`. */
function askedMs(response: Responded, nowMs: number): number | undefined {
  if (!isAboutLoad(response.status)) return undefined;
  const lines = response.header('retry-after-ms')?.split(',') ?? [];
  const precise = lines.map((line) => line.trim()).filter((line) => /^\d+(\.\d+)?$/.test(line));
  return precise.length > 0 ? Math.max(...precise.map(Number)) : retryAfterMs(response, nowMs);
}

/** True if a request was refused because of the rate. Stripe also limits concurrent requests, and sends the reason. */
function isTooFast(response: Responded, paused: boolean): boolean {
  if (response.status !== 429) return response.status === 503 && paused;
  const reason = response.header('stripe-rate-limited-reason');
  return reason === undefined || reason.endsWith('-rate');
}

/**
 * Reads `Retry-After`, which comes first, the three generations of the IETF RateLimit fields, and the fields of GitHub,
 * OpenAI, Anthropic, Stripe and Kong. A pause is reported only for a quota that is used up.
 *
 * Ignored: malformed fields, cached responses, and redirects. No rate is derived from a quota.
 *
 * Source: RFC 9110 §10.2.3; draft-ietf-httpapi-ratelimit-headers-10 §3 and §6, -07 §2, -06 §5.
 *
 * @example
 * ```ts
 * import { type ReadFeedback, serverFeedback, tokenBucket } from '@ebb/core';
 *
 * // Ignores rate headers on a 403.
 * const feedback: ReadFeedback = (outcome, nowMs) =>
 *   outcome.type === 'response' && outcome.status === 403 ? undefined : serverFeedback(outcome, nowMs);
 * const bucket = tokenBucket({ refillPerSecond: 50, feedback });
 * ```
 */
export const serverFeedback: ReadFeedback = (outcome, nowMs) => {
  if (outcome.type !== 'response') return undefined;
  const { status } = outcome;
  // A redirect is about the origin that redirects, not about the target.
  if (status >= 300 && status < 400) return undefined;
  const sentMs = (): number => parseHttpDate(outcome.header('date')?.trim() ?? '', nowMs) ?? nowMs;
  const quotas = quotasOf((name) => outcome.header(name), sentMs);
  if (quotas.length === 0 && status < 400) return undefined;
  // A cached response has old fields.
  if (Number(outcome.header('age') ?? 0) > 0) return undefined;

  let remaining: number | undefined;
  let resetMs = 0;
  for (const quota of quotas) {
    remaining = Math.min(quota.remaining, remaining ?? quota.remaining);
    if (quota.remaining === 0) resetMs = Math.max(resetMs, quota.resetMs);
  }
  let pauseMs = askedMs(outcome, nowMs) ?? resetMs;
  const isGitHub = status === 429 && outcome.header('x-github-request-id') !== undefined;
  if (pauseMs === 0 && isGitHub) pauseMs = GITHUB_PAUSE_MS;
  const tooFast = isTooFast(outcome, pauseMs > 0);
  return quotas.length > 0 || pauseMs > 0 || status === 429 ? { pauseMs, remaining, tooFast } : undefined;
};
