import type { Outcome } from './outcome.ts';
import { quotasOf } from './quota-fields.ts';
import { parseHttpDate, retryAfterMs } from './retry-after.ts';

/** What a response says of the sender's quota. */
export interface Feedback {
  /** How long to send nothing, in milliseconds; 0: the server does not ask for it. */
  readonly pauseMs: number;
  /** How many more requests or other units the server would take now; `undefined` when it does not say. */
  readonly remaining: number | undefined;
  /** Whether the rate was too high, so that a lower one would have helped. */
  readonly tooFast: boolean;
}

/** Reads a response; `undefined` when it says nothing of a quota that can be trusted. */
export type ReadFeedback = (outcome: Outcome, nowMs: number) => Feedback | undefined;

/** GitHub asks for this when it refuses by a secondary limit and names no time. */
const GITHUB_PAUSE_MS = 60_000;

/** Whether a `Retry-After` on this status speaks of load, rather than of a resource that has moved. */
function speaksOfLoad(status: number): boolean {
  return status === 403 || status === 413 || status === 429 || status >= 500;
}

type Responded = Extract<Outcome, { type: 'response' }>;

/** OpenAI and Azure tell milliseconds beside the seconds that `Retry-After` can tell. */
function askedMs(response: Responded, nowMs: number): number | undefined {
  if (!speaksOfLoad(response.status)) return undefined;
  const lines = response.header('retry-after-ms')?.split(',') ?? [];
  const precise = lines.map((line) => line.trim()).filter((line) => /^\d+(\.\d+)?$/.test(line));
  return precise.length > 0 ? Math.max(...precise.map(Number)) : retryAfterMs(response, nowMs);
}

/**
 * Whether a refusal is one for the rate. Stripe refuses for requests that are under way at the same time, too,
 * and names the reason.
 */
function isTooFast(response: Responded, paused: boolean): boolean {
  if (response.status !== 429) return response.status === 503 && paused;
  const reason = response.header('stripe-rate-limited-reason');
  return reason === undefined || reason.endsWith('-rate');
}

/**
 * What a response says of the quota: by `Retry-After`, which wins; else by the IETF RateLimit fields in any of
 * their three generations, and the fields of GitHub, OpenAI, Anthropic and Kong, where those with nothing left
 * say when there will be more.
 *
 * A field that is malformed is ignored whole, as is everything that comes out of a cache or with a redirect. A
 * quota that is not used up asks for no pause, and no rate is made out of it.
 *
 * Source: RFC 9110 §10.2.3; draft-ietf-httpapi-ratelimit-headers-10 §3 and §6, -07 §2, -06 §5.
 *
 * @example
 * ```ts
 * import { serverFeedback, tokenBucket } from '@ebb/core';
 *
 * // Ignores rate headers on a 403.
 * const feedback: typeof serverFeedback = (outcome, nowMs) =>
 *   outcome.type === 'response' && outcome.status === 403 ? undefined : serverFeedback(outcome, nowMs);
 * const bucket = tokenBucket({ refillPerSecond: 50, feedback });
 * ```
 */
export const serverFeedback: ReadFeedback = (outcome, nowMs) => {
  if (outcome.type !== 'response') return undefined;
  const { status } = outcome;
  // What a redirect says is said of the place that was left.
  if (status >= 300 && status < 400) return undefined;
  const sentMs = (): number => parseHttpDate(outcome.header('date')?.trim() ?? '', nowMs) ?? nowMs;
  const quotas = quotasOf((name) => outcome.header(name), sentMs);
  if (quotas.length === 0 && status < 400) return undefined;
  // What comes out of a cache is old.
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
