import { failureKind, LAYER, remember } from '@ebb/core/adapter';
import type { Attempt } from './attempt.ts';
import type { DispatchChanges } from './body/request-body.ts';
import { namingOldUndici } from './errors.ts';
import { changedHeaders } from './header-changes.ts';
import type { RequestHeaders } from './headers.ts';
import type { Steps } from './steps.ts';
import { failureOutcome } from './traits.ts';

/**
 * Dispatches one attempt of a request.
 *
 * @param isFirst true until the caller's `dispatch` returns: errors of the dispatcher are then thrown to the caller
 * @returns what `dispatch` returns: whether the caller may go on dispatching
 * @throws what the dispatcher throws, or what the handler throws when it is given an error
 */
export function send(steps: Steps, attempt: Attempt, isFirst: boolean): boolean {
  const { options, session, body, download } = steps;
  const taken = body?.take();
  const changes = session.headerChanges;
  const made =
    changes === undefined ? taken : { ...taken, headers: changedHeaders(options.headers, changes) };
  if (made !== undefined) attempt.reads(body, made);
  const rest = download?.changesForRest((made?.headers as RequestHeaders) ?? options.headers);
  try {
    return dispatch(steps, attempt, rest ? { ...made, ...rest } : made);
  } catch (thrown) {
    // Thrown by the handler: passed up, as without ebb.
    if (attempt.over) throw thrown;
    const error = namingOldUndici(thrown) as Error;
    if (isFirst) return dispatcherThrew(steps, attempt, error);
    attempt.onResponseError(undefined, error);
    return false;
  }
}

/** @param changes options that the attempt has in place of the request's own */
function dispatch(
  { composition, options, session }: Steps,
  attempt: Attempt,
  changes: DispatchChanges | undefined,
): boolean {
  const { layer } = session;
  if (layer === undefined)
    return composition.dispatch(changes === undefined ? options : { ...options, ...changes }, attempt);
  // Interceptors pass unknown options on, and undici does not send them.
  const layered = { ...options, ...changes, [LAYER]: layer };
  return session.sending(composition.dispatch.bind(undefined, layered, attempt));
}

/** A dispatcher that throws reports nothing to its handler. Unless there is a retry, throws to the caller as well. */
function dispatcherThrew(steps: Steps, attempt: Attempt, error: Error): boolean {
  const retry = steps.judge(attempt, failureOutcome(attempt, failureKind(error), error, steps.options));
  attempt.drop(error);
  if (retry === undefined) return false;
  if (retry) {
    steps.wait(error);
    return true;
  }
  attempt.releaseBody();
  steps.body?.close?.();
  remember(error, steps.session.trace);
  steps.downstream.endSilently();
  throw error;
}
