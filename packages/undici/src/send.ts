import { LAYER, type Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import type { DispatchChanges, RequestBody } from './body/request-body.ts';
import type { Closing } from './closing.ts';

/** A request as it was dispatched, with its session. */
export interface Request {
  readonly dispatch: Dispatcher.Dispatch;
  readonly options: Dispatcher.DispatchOptions;
  /** `undefined` if the options can be dispatched again as they are. */
  readonly body: RequestBody | undefined;
  readonly session: Session;
  /** `undefined` if the dispatcher does not reveal that it was closed. */
  readonly closing: Closing | undefined;
}

/**
 * Dispatches one attempt of a request.
 *
 * @param changes options that the attempt has in place of the request's own
 * @returns what `dispatch` returns: whether the caller may go on dispatching
 * @throws what the dispatcher throws, or what the handler throws when it is given an error
 */
export function send(
  { dispatch, options, session }: Request,
  attempt: Attempt,
  changes: DispatchChanges | undefined,
): boolean {
  const { layer } = session;
  if (layer === undefined && changes === undefined) return dispatch(options, attempt);
  // Interceptors pass unknown options on, and undici does not send them.
  const changed = { ...options, ...changes, ...(layer && { [LAYER]: layer }) };
  return session.sending(() => dispatch(changed, attempt));
}
