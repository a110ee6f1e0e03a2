import { ThrottledError } from '../base/errors.ts';
import { sleep } from '../base/sleep.ts';
import { lookAgain } from './approach.ts';
import { backoffOf } from './decide.ts';
import type { Entrant, Lack } from './part.ts';

/**
 * What `enter` returns so that the attempt is not sent: what other parts took goes back, and the next chance comes after the next
 * backoff, counted as a retry. Without a next one the call ends with the answer that was there, else with a `ThrottledError`
 * (`overload`).
 */
export const SKIP: Lack = /* @__PURE__ */ skipping();

/** As {@link SKIP}, but the call has no other chance. */
export const SKIP_AND_END: Lack = /* @__PURE__ */ skipping(true);

/**
 * The decision is not that after an outcome: nothing was sent, so it does not matter what may be sent twice. A chance counts as a
 * retry, so that `maxRetries` and `totalTimeoutMs` bound the call as ever.
 */
// A lack that brings its own way of waiting: a policy without parts that skip does not carry it.
function skipping(isLast = false): Lack {
  return {
    endsItself: true,
    async wait({ signal }, entrant, dress) {
      const { policy, attempt } = entrant;
      for (const turn of entrant.turns) turn.skip?.();
      const delayMs = isLast ? undefined : nextChance(entrant);
      entrant.history.push({
        attempt: attempt + 1,
        delayMs: entrant.delayMs,
        throttledMs: entrant.waitedMs,
        reason: delayMs === undefined ? 'overload' : 'skipped',
      });
      entrant.emit({ type: 'skip', delayMs });
      if (delayMs === undefined)
        throw new ThrottledError('Not sent: too little succeeds', undefined, { reason: 'overload' });
      entrant.delayMs = delayMs;
      // The next chance waits, and calls the hooks, anew.
      entrant.waitedMs = 0;
      entrant.slotMs = 0;
      entrant.takenMs = 0;
      await sleep(policy.clock, delayMs, signal);
      lookAgain(entrant, signal);
      // A signature or a token of a chance ago may be out of date.
      await dress?.();
      return 0;
    },
  };
}

/** The delay before the next chance, in milliseconds; `undefined` if there is none. */
function nextChance(entrant: Entrant): number | undefined {
  const { policy, total, attempt, previousBackoffMs: previousDelayMs } = entrant;
  entrant.skipped = (entrant.skipped ?? 0) + 1;
  const retry = attempt + entrant.skipped;
  if (retry > policy.maxRetries) return undefined;
  const delayMs = backoffOf(policy, { retry, previousDelayMs, random: policy.random });
  if (delayMs === undefined || (total !== undefined && delayMs > total.leftMs)) return undefined;
  entrant.previousBackoffMs = delayMs;
  return attempt > 0 && entrant.permit({ reason: 'refused', delayMs }) !== undefined ? undefined : delayMs;
}
