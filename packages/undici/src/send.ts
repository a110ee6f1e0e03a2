import type { Session } from '@ebb/core';
import type { Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import type { RequestBody } from './body.ts';
import type { Changes } from './changes.ts';

/** A request as it came to be dispatched, and its way through the policy. */
export interface Request {
  readonly dispatch: Dispatcher.Dispatch;
  readonly options: Dispatcher.DispatchOptions;
  /** Nothing where the options' own can be sent as often as one likes. */
  readonly body: RequestBody | undefined;
  readonly session: Session;
  /** The interceptor's policy, of which the session's may be a changed copy. */
  readonly policy: object;
}

/**
 * Dispatches a request once more, with a body of its own where it needs one. Whatever goes wrong, the attempt
 * is told.
 *
 * @param changes what this attempt's options have in place of the request's
 * @returns what `dispatch` answers: whether the caller may go on dispatching
 */
export function send(request: Request, attempt: Attempt, changes?: Changes): boolean {
  const { body } = request;
  if (body === undefined) return dispatch(request, attempt, changes);
  try {
    const sent = body.take();
    if (!(sent instanceof Promise)) return dispatch(request, attempt, { ...changes, ...sent });
    sent.then(
      (made) => {
        if (attempt.over) body.drop?.();
        else dispatch(request, attempt, { ...changes, ...made });
      },
      (error) => attempt.onResponseError(undefined, error),
    );
    return true;
  } catch (error) {
    attempt.onResponseError(undefined, error as Error);
    return false;
  }
}

function dispatch({ dispatch, options }: Request, attempt: Attempt, changes: Changes | undefined): boolean {
  try {
    return dispatch(changes === undefined ? options : { ...options, ...changes }, attempt);
  } catch (error) {
    attempt.onResponseError(undefined, error as Error);
    return false;
  }
}
