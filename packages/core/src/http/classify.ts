import { type Check, oneOf } from '../base/check.ts';
import { retryAfterMs } from './feedback.ts';
import type { Outcome, RequestTraits, Verdict } from './outcome.ts';

/** A verdict that a hook of the user returns. */
export const checkVerdict: Check = /* @__PURE__ */ oneOf('success', 'refused', 'transient', 'final');

/**
 * Returns the verdict on an outcome.
 *
 * @param attempt the attempt that the outcome belongs to, from 1
 */
export type Classify = (outcome: Outcome, request: RequestTraits, attempt: number) => Verdict;

/** 500 to 599. */
export function isServerError(status: number): boolean {
  return status >= 500 && status <= 599;
}

/** True for a status that is no answer to the request: the service is in trouble, or wants less. */
export function isTrouble(status: number): boolean {
  return status === 429 || isServerError(status);
}

/**
 * Retries 429 and every 5xx, and failures to connect, to keep the connection and to respond in time.
 *
 * Source: Google Cloud, Memorystore for Valkey, "Exponential backoff", which retries 429 and every 5xx.
 *
 * @example
 * ```ts
 * import { type Classify, classifyHttp, createPolicy } from '@ebb/core';
 *
 * // Retries a 404 as well, for a store that is eventually consistent.
 * const classify: Classify = (outcome) =>
 *   outcome.type === 'response' && outcome.status === 404 ? 'transient' : classifyHttp(outcome);
 * const policy = createPolicy({ classify });
 * ```
 */
export const classifyHttp = (outcome: Outcome): Verdict => {
  if (outcome.type === 'failure') {
    const { kind } = outcome;
    if (kind === 'connect') return 'refused';
    return kind === 'network' || kind === 'timeout' ? 'transient' : 'final';
  }
  const { status } = outcome;
  if (status < 400) return 'success';
  if (status === 429) return 'refused';
  return isServerError(status) ? 'transient' : 'final';
};

/**
 * As {@link classifyHttp}, with five exceptions: 501 (not implemented) and 505 (HTTP version not supported) are final,
 * 408 (request timeout) is transient, and 425 (too early, nothing was done) is refused, as is a 503 (service unavailable)
 * with a `Retry-After` above 0, unless it came after a redirect. By default that is transient, because proxies add
 * `Retry-After` to a 503 after work was done.
 *
 * Source: RFC 9110 §10.2.3, §15.5.9, §15.6.2, §15.6.4, §15.6.6; RFC 8470 §5.2.
 *
 * @example
 * ```ts
 * import { classifyHttpByMeaning, createPolicy } from '@ebb/core';
 *
 * const policy = createPolicy({ classify: classifyHttpByMeaning });
 * ```
 */
export const classifyHttpByMeaning = (outcome: Outcome): Verdict => {
  if (outcome.type === 'response') {
    if (outcome.status === 501 || outcome.status === 505) return 'final';
    if (outcome.status === 408) return 'transient';
    if (outcome.status === 425) return 'refused';
    // A date counts from the `Date` of the response. Without one any date is later than 1970.
    if (outcome.status === 503 && !outcome.redirected && (retryAfterMs(outcome, 0) ?? 0) > 0)
      return 'refused';
  }
  return classifyHttp(outcome);
};

/** True if repeating the method has the same effect as sending it once. Source: RFC 9110 §9.2.2, and the QUERY method draft. */
export function isIdempotent(method: string): boolean {
  return /^(GET|HEAD|OPTIONS|TRACE|PUT|DELETE|QUERY)$/.test(method);
}

/** True if the method is idempotent, or an `Idempotency-Key` identifies the request. An empty key does not. */
export function isRepeatable(request: RequestTraits): boolean {
  return isIdempotent(request.method.toUpperCase()) || Boolean(request.header('idempotency-key')?.trim());
}
