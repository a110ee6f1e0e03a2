import { ThrottledError } from '../base/errors.ts';
import { onAbort } from '../base/on-abort.ts';

/** Why a request is not sent after the policy's `stopSignal` has aborted. */
export function stopped(): ThrottledError {
  return new ThrottledError('Not sent: the stopSignal of the policy has aborted', undefined, {
    reason: 'stopped',
  });
}

export function isStop(error: unknown): boolean {
  return error instanceof ThrottledError && error.reason === 'stopped';
}

/** What ends a wait. */
interface End {
  readonly signal: AbortSignal;
  /** To be called after the wait, so that nothing is left in a signal that lives as long as the program. */
  forget(): void;
}

/** Aborts with the reason of the caller's signal, or with {@link stopped}. */
export function abortOrStop(own: AbortSignal | undefined, stopSignal: AbortSignal): End {
  const end = new AbortController();
  const forgetStop = onAbort(stopSignal, () => end.abort(stopped()));
  if (own?.aborted) end.abort(own.reason);
  const forgetOwn = own && onAbort(own, () => end.abort(own.reason));
  return {
    signal: end.signal,
    forget() {
      forgetStop();
      forgetOwn?.();
    },
  };
}
