import { ThrottledError } from '../base/errors.ts';
import { sleep } from '../base/sleep.ts';
import { lookAgain } from './approach.ts';
import { backoffOf } from './decide.ts';
import type { Attempt } from './history.ts';
import type { Lack } from './part.ts';
import type { Session } from './session.ts';
import type { State } from './state.ts';

/**
 * What `enter` returns so that the attempt is not sent: what other parts took goes back, and the next chance comes after the next
 * backoff, counted as a retry. Without a next one the call ends with the answer that was there, else with a `ThrottledError`
 * (`overload`).
 */
// A lack that brings its own way of waiting: a policy without parts that skip does not carry it.
export const SKIP: Lack = {
  async wait({ signal }, entrant, dress) {
    await afterSkip(entrant as State, signal);
    // A signature or a token of a chance ago may be out of date.
    await dress?.();
    return 0;
  },
};

/**
 * A part has skipped a chance, and nothing is held. Waits for the next one.
 *
 * The decision is not that after an outcome: nothing was sent, so it does not matter what may be sent twice. A chance counts as a
 * retry, so that `maxRetries` and `totalTimeoutMs` bound the call as ever.
 *
 * @throws ThrottledError if there is no other chance; the signal's own reason; HookError if the backoff rule fails
 */
async function afterSkip(state: State, signal: AbortSignal | undefined): Promise<void> {
  for (const turn of state.turns) turn.skip?.();
  const delayMs = nextChance(state as Session);
  note(state, delayMs === undefined ? 'overload' : 'skipped');
  state.emit({ type: 'skip', delayMs });
  if (delayMs === undefined)
    throw new ThrottledError('Not sent: too little succeeds', undefined, { reason: 'overload' });
  state.delayMs = delayMs;
  // The next chance waits, and calls the hooks, anew.
  state.waitedMs = 0;
  state.slotMs = 0;
  state.takenMs = 0;
  await sleep(state.policy.clock, delayMs, signal);
  lookAgain(state, signal);
}

/** The delay before the next chance, in milliseconds; `undefined` if there is none. */
function nextChance(session: Session): number | undefined {
  const { policy, total, turns } = session;
  session.skipped = (session.skipped ?? 0) + 1;
  const retry = session.attempt + session.skipped;
  if (retry > policy.maxRetries || turns.some((turn) => turn.endsWhenSkipped)) return undefined;
  const { previousBackoffMs: previousDelayMs } = session;
  const delayMs = backoffOf(policy, { retry, previousDelayMs, random: policy.random });
  if (delayMs === undefined || (total !== undefined && delayMs > total.leftMs)) return undefined;
  session.previousBackoffMs = delayMs;
  const isRetry = session.attempt > 0;
  return isRetry && session.permit({ reason: 'refused', delayMs }) !== undefined ? undefined : delayMs;
}

function note({ history, attempt, delayMs, waitedMs }: State, reason: Attempt['reason']): void {
  (history as Attempt[]).push({ attempt: attempt + 1, delayMs, throttledMs: waitedMs, reason });
}
