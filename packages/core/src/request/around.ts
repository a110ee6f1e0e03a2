import { reportFailure } from '../base/call-observer.ts';
import { callHook, HookError } from '../base/errors.ts';
import type { AroundAttempt, CurrentAttempt } from '../policy/around-attempt.ts';

/** What sending has returned or thrown. */
type Sent<T> = { readonly value: T } | { readonly thrown: unknown };

/**
 * Sends an attempt inside a policy's `aroundAttempt`. What the client returns or throws does not pass through the hook.
 *
 * @throws HookError if the hook throws before it sends, or does not send
 */
export function sendAround<T>(hook: AroundAttempt, current: CurrentAttempt, send: () => T): T {
  let sent: Sent<T> | undefined;
  const sendOnce = (): void => {
    if (sent !== undefined) throw new Error('send may be called only once, before the hook returns');
    try {
      sent = { value: send() };
    } catch (thrown) {
      sent = { thrown };
    }
  };
  callHook('aroundAttempt', () => {
    try {
      hook(sendOnce, current);
    } catch (error) {
      if (sent === undefined) throw error;
      // The attempt is under way, and its result must not be lost.
      reportFailure('aroundAttempt', hook, error);
    }
  });
  const result = sent;
  // Nothing may be sent after the request has failed.
  sent ??= { thrown: undefined };
  return resultOf(result);
}

function resultOf<T>(sent: Sent<T> | undefined): T {
  if (sent === undefined) {
    throw new HookError('aroundAttempt', new Error('it did not call send before it returned'));
  }
  if ('thrown' in sent) throw sent.thrown;
  return sent.value;
}
