import { NotSentError } from '../base/errors.ts';
import type { Skip } from '../policy/limit.ts';
import type { Call } from './call.ts';
import { backoffOf } from './decide.ts';

/**
 * A limit returns it to skip the attempt: other limits get back what they gave, and the next chance comes after the next backoff, counted as
 * a retry. Without a next one the call ends with the answer that was there, else with a `NotSentError` (`overload`).
 */
export const SKIP: Skip = /* @__PURE__ */ skipping(nextChance);

/** As {@link SKIP}, but the call has no other chance. */
export const SKIP_AND_END: Skip = /* @__PURE__ */ skipping(() => undefined);

function skipping(next: (call: Call) => number | undefined): Skip {
  return { skip: true, schedule: (call) => schedule(call as Call, next) };
}

/** Sets the delay before the next chance. @throws NotSentError if there is none */
function schedule(call: Call, next: (call: Call) => number | undefined): void {
  const { attempt, delayMs: beforeMs, waitedMs } = call;
  call.permits?.skip();
  const delayMs = next(call);
  const reason = delayMs === undefined ? 'overload' : 'skipped';
  call.note({ attempt: attempt + 1, delayMs: beforeMs, waitedMs, reason });
  call.emit({ type: 'skip', delayMs });
  if (delayMs === undefined)
    throw new NotSentError('Not sent: too little succeeds', undefined, { reason: 'overload' });
  call.delayMs = delayMs;
}

/**
 * The delay before the next chance, in milliseconds; `undefined` if there is none. Nothing was sent, so idempotency does not matter
 * here. A chance counts as a retry, so that `maxRetries` and `totalTimeoutMs` bound the call as ever.
 */
function nextChance(call: Call): number | undefined {
  const { policy, request, deadline, attempt, previousBackoffMs: previousDelayMs } = call;
  call.skipped = (call.skipped ?? 0) + 1;
  const retry = attempt + call.skipped;
  if (retry > policy.maxRetries) return undefined;
  const delayMs = backoffOf(policy, { retry, previousDelayMs, random: policy.random, request });
  if (delayMs === undefined || (deadline && delayMs > deadline.leftMs)) return undefined;
  call.previousBackoffMs = delayMs;
  const refusal = attempt > 0 && call.permits?.planRetry({ reason: 'refused', delayMs });
  return refusal ? undefined : delayMs;
}
