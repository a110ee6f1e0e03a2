import type { Policy } from '@ebb/core';
import { LAYER, type Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import type { DispatchChanges } from './body/request-body.ts';
import type { Trails } from './trail.ts';

/** One call of `compose`. */
export interface Composition {
  readonly policy: Policy;
  readonly dispatch: Dispatcher.Dispatch;
  /** The origin of requests whose options have none. */
  readonly ownOrigin: string;
  readonly trails: Trails;
}

/**
 * Dispatches one attempt of a request.
 *
 * @param options as the request was dispatched
 * @param changes options that the attempt has in place of the request's own
 * @returns what `dispatch` returns: whether the caller may go on dispatching
 * @throws what the dispatcher throws, or what the handler throws when it is given an error
 */
export function send(
  dispatch: Dispatcher.Dispatch,
  options: Dispatcher.DispatchOptions,
  session: Session,
  attempt: Attempt,
  changes: DispatchChanges | undefined,
): boolean {
  const { layer } = session;
  if (layer === undefined)
    return dispatch(changes === undefined ? options : { ...options, ...changes }, attempt);
  // Interceptors pass unknown options on, and undici does not send them.
  const layered = { ...options, ...changes, [LAYER]: layer };
  return session.sending(dispatch.bind(undefined, layered, attempt));
}
