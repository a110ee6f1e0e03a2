import { attemptsOf } from '../../call/attempts.ts';
import type { Attempt } from '../../events/events.ts';
import { isServerError } from '../../http/classify.ts';

/** The thing is gone, or is no longer as the condition of the request wants it. Source: RFC 9110 §15.5.5, §15.5.11, §15.5.13. */
const IS_GONE: readonly (number | undefined)[] = [404, 410, 412];

/** True if the server may have carried out an attempt whose answer says nothing about it. */
function mayBeDone({ reason, failure, status = 0 }: Attempt): boolean {
  // `refused`: the server did nothing.
  return reason === 'transient' && (failure !== undefined || isServerError(status));
}

/**
 * True if a DELETE, or a request with `If-Match` or `If-None-Match`, may have succeeded although it has failed: its answer is a 404, 410 or 412,
 * and an earlier attempt of it has ended without an answer, or with a 5xx, after which the server may have carried it out; or a hedge was sent. The thing is then
 * gone, or changed, by that attempt, or by someone else: read it to know. False for anything else, and for a result that is not of ebb.
 *
 * The history has no method: of other requests the result means nothing.
 *
 * Source: RFC 9110 §9.2.2 (the repeated request may be answered in another way), §13.1.1 (a condition that its own success has made false).
 *
 * @param result the response or error of a client of ebb; of undici the `context` of the response
 * @example
 * ```ts
 * import { mayHaveSucceeded } from '@ebb/core/idempotency';
 * import { createFetch } from '@ebb/fetch';
 *
 * const response = await createFetch()('https://api.example.com/orders/1', { method: 'DELETE' });
 * if (!response.ok && !mayHaveSucceeded(response)) throw new Error(`not deleted: ${response.status}`);
 * ```
 */
export function mayHaveSucceeded(result: unknown): boolean {
  const attempts = attemptsOf(result);
  const answered = attempts.findLastIndex(({ status }) => status !== undefined);
  // If the total timeout ends a later attempt, or limits skip it, the result is the answer before.
  const isResult = attempts
    .slice(answered + 1)
    .every(({ failure, reason }) => failure === undefined || reason === 'deadline-exceeded');
  const { status, hedges = [] }: Partial<Attempt> = attempts[answered] ?? {};
  const wasSentBefore = hedges.length > 0 || attempts.some(mayBeDone);
  return isResult && IS_GONE.includes(status) && wasSentBefore;
}
