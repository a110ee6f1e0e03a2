import { isPromise } from '../base/promise.ts';
import { bounded } from './bounded.ts';
import { OutOfTime } from './bounds.ts';
import { headerChangesOf, keyOf } from './header-changes.ts';
import type { State } from './state.ts';

// The user's code that an attempt needs before it can be sent: hooks that change its headers, and a body factory. It may take
// long, so it ends with the caller's signal, with the timeout of the attempt, whose time it takes, and with the total timeout.

/** Makes the body of an attempt. Its argument is `over` once the body is not needed any more. */
export type MakeBody = (state: { readonly over: boolean }) => PromiseLike<void> | undefined;

/**
 * Asks the hooks for the headers of the next attempt. Returns a promise if they return one.
 *
 * @throws HookError, at once or as a rejection, if a hook fails
 */
export function dress(state: State): PromiseLike<void> | undefined {
  const { policy, request } = state;
  const attempt = state.attempt + 1;
  if (attempt === 1 && !state.isInner) state.key ??= keyOf(policy, request);
  const next = { attempt, request, previous: state.toRetry, leftMs: state.total?.leftMs };
  const made = headerChangesOf(policy, next, state.key, state.turns);
  if (isPromise(made))
    return made.then((changes) => {
      state.pendingHeaders = changes;
    });
  state.pendingHeaders = made;
  return undefined;
}

/**
 * Waits for user code, which cannot be stopped, and returns how long it took, in milliseconds.
 *
 * @throws the signal's own reason when it aborts; OutOfTime; what the code throws
 */
export async function settle(
  state: State,
  start: () => PromiseLike<void> | undefined,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { clock, attemptTimeoutMs = Number.POSITIVE_INFINITY } = state.policy;
  const { takenMs = 0, total } = state;
  const beganMs = clock.now();
  const work = start();
  const ownMs = attemptTimeoutMs - takenMs;
  const totalMs = total?.leftMs ?? Number.POSITIVE_INFINITY;
  const leftMs = Math.min(ownMs, totalMs);
  if (work !== undefined) {
    const late = (): OutOfTime =>
      total !== undefined && totalMs <= ownMs
        ? new OutOfTime(total.timeoutMs, true)
        : new OutOfTime(attemptTimeoutMs, false);
    await bounded(work, { clock, signal, leftMs, late });
  }
  const tookMs = clock.now() - beganMs;
  state.takenMs = takenMs + tookMs;
  if (state.takenMs >= attemptTimeoutMs) throw new OutOfTime(attemptTimeoutMs, false);
  return tookMs;
}
