import type { FailureKind, Outcome } from './outcome.ts';

/**
 * What an outcome means for a retry: `refused`: nothing was done, so any request may go again · `transient`:
 * perhaps done, so only a request that may be done twice · `final`: asking again does not help.
 */
export type Verdict = 'success' | 'refused' | 'transient' | 'final';

/** How a policy reads an outcome. */
export type Classify = (outcome: Outcome) => Verdict;

const VERDICT_OF_FAILURE: Readonly<Record<FailureKind, Verdict>> = {
  connect: 'refused',
  network: 'transient',
  timeout: 'transient',
  aborted: 'final',
  unknown: 'final',
};

/**
 * 429 and every 5xx are worth a retry, as the Memorystore page has it; of the failures those to connect, to
 * keep the connection, and to answer in time.
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
export const classifyHttp: Classify = (outcome) => {
  if (outcome.type === 'failure') return VERDICT_OF_FAILURE[outcome.kind];
  if (outcome.status < 400) return 'success';
  if (outcome.status === 429) return 'refused';
  return outcome.status >= 500 && outcome.status <= 599 ? 'transient' : 'final';
};

/**
 * As {@link classifyHttp}, but by what each status means: 501 (not implemented) and 505 (version not
 * supported) are final, since asking again changes nothing; 408 (the request came too slowly) is transient;
 * 425 (too early, nothing was done) is refused.
 *
 * Source: RFC 9110 §15.5.9, §15.6.2, §15.6.6; RFC 8470 §5.2.
 *
 * @example
 * ```ts
 * import { classifyHttpByMeaning, createPolicy } from '@ebb/core';
 *
 * const policy = createPolicy({ classify: classifyHttpByMeaning });
 * ```
 */
export const classifyHttpByMeaning: Classify = (outcome) => {
  if (outcome.type === 'response') {
    if (outcome.status === 501 || outcome.status === 505) return 'final';
    if (outcome.status === 408) return 'transient';
    if (outcome.status === 425) return 'refused';
  }
  return classifyHttp(outcome);
};

const IDEMPOTENT: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PUT',
  'DELETE',
  'QUERY',
]);

/** Whether doing it twice is as good as doing it once. Source: RFC 9110 §9.2.2; QUERY by its own definition. */
export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method);
}
