import { LAYER, type Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import type { RequestBody } from './body/body-of.ts';
import type { Changes } from './changes.ts';
import type { Closing } from './closing.ts';

/** A request as it came to be dispatched, and its way through the policy. */
export interface Request {
  readonly dispatch: Dispatcher.Dispatch;
  readonly options: Dispatcher.DispatchOptions;
  /** Nothing if the options' own can be sent as often as one likes. */
  readonly body: RequestBody | undefined;
  readonly session: Session;
  /** Tells that the dispatcher was closed, if that can be known. */
  readonly closing: Closing | undefined;
}

/**
 * Dispatches one attempt of a request.
 *
 * @param changes what the attempt's options have in place of the request's
 * @returns what `dispatch` returns: whether the caller may go on dispatching
 * @throws what the dispatcher throws, or the handler when it gets an error
 */
export function send(
  { dispatch, options, session }: Request,
  attempt: Attempt,
  changes: Changes | undefined,
): boolean {
  const { layer } = session;
  if (layer === undefined && changes === undefined) return dispatch(options, attempt);
  // Interceptors hand on what they do not know, and undici sends nothing of it.
  const changed = { ...options, ...changes, ...(layer && { [LAYER]: layer }) };
  return session.sending(() => dispatch(changed, attempt));
}
