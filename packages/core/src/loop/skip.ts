import { ThrottledError } from '../base/errors.ts';
import type { Call } from './call.ts';
import { backoffOf } from './decide.ts';
import type { Lack } from './part.ts';

/**
 * `acquire` returns it to skip the attempt: other parts give back what they took, and the next chance comes after the next
 * backoff, counted as a retry. Without a next one the call ends with the answer that was there, else with a `ThrottledError`
 * (`overload`).
 */
export const SKIP: Lack = /* @__PURE__ */ skipping(nextChance);

/** As {@link SKIP}, but the call has no other chance. */
export const SKIP_AND_END: Lack = /* @__PURE__ */ skipping(() => undefined);

/** A lack that is not waited for. */
export interface Skip extends Lack {
  /** Sets the delay before the next chance. @throws ThrottledError if there is none */
  skip(call: Call): void;
}

function skipping(next: typeof nextChance): Lack {
  return { skip: (call: Call) => skipped(call, next) } as Partial<Skip> as Skip;
}

function skipped(call: Call, next: typeof nextChance): void {
  const { attempt, delayMs: beforeMs, waitedMs } = call;
  call.parts?.skip();
  const delayMs = next(call);
  const reason = delayMs === undefined ? 'overload' : 'skipped';
  call.history.push({ attempt: attempt + 1, delayMs: beforeMs, throttledMs: waitedMs, reason });
  call.emit({ type: 'skip', delayMs });
  if (delayMs === undefined)
    throw new ThrottledError('Not sent: too little succeeds', undefined, { reason: 'overload' });
  call.delayMs = delayMs;
}

/**
 * The delay before the next chance, in milliseconds; `undefined` if there is none. Nothing was sent, so idempotency does not matter
 * here. A chance counts as a retry, so that `maxRetries` and `totalTimeoutMs` bound the call as ever.
 */
function nextChance(call: Call): number | undefined {
  const { policy, deadline, attempt, previousBackoffMs: previousDelayMs } = call;
  call.skipped = (call.skipped ?? 0) + 1;
  const retry = attempt + call.skipped;
  if (retry > policy.maxRetries) return undefined;
  const delayMs = backoffOf(policy, { retry, previousDelayMs, random: policy.random });
  if (delayMs === undefined || (deadline !== undefined && delayMs > deadline.leftMs)) return undefined;
  call.previousBackoffMs = delayMs;
  return attempt > 0 && call.parts?.permit({ reason: 'refused', delayMs }) !== undefined
    ? undefined
    : delayMs;
}
