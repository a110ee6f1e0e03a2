import { forHandlers, type Handler, ownOptions } from '@ebb/undici/internal';
import type { Dispatcher } from 'undici';
import { type ReadResumeOptions, type ResumeOptions, readResumeOptions } from './options.ts';

import { ResumedRequest } from './undici/resume.ts';

type Options = Dispatcher.DispatchOptions;

/**
 * Options of {@link resumable}. `resumeWith` returns the options of the request for the rest, which goes to the origin of the first
 * unless it names another one.
 */
export type ResumableOptions = ResumeOptions<Options>;

function start(
  resuming: ReadResumeOptions<Options>,
  dispatch: Dispatcher.Dispatch,
  given: Options,
  handler: Handler,
): boolean {
  // Their responses have no body that this can read.
  if (given.ebb === false || given.upgrade || given.method === 'CONNECT')
    return dispatch(given, handler as Dispatcher.DispatchHandler);
  let options: Options;
  try {
    options = ownOptions(given);
  } catch (error) {
    // undici reports invalid options in the same way.
    handler.onResponseError(null, error);
    return false;
  }
  return new ResumedRequest(resuming, dispatch, options, handler).start();
}

/**
 * An interceptor for `dispatcher.compose()` whose event streams and downloads go on after their connection has broken. Compose it above
 * ebb's own, with the same policy: it asks for the rest with a request of its own, and the handler notices nothing but the time. A body is
 * not resumed if there is a doubt: the handler gets the error of the break, whose `cause` says why.
 *
 * - Event streams (200, `text/event-stream`, no content coding): whole events are passed on, in the same bytes, and an unfinished one is
 *   kept back. The same GET is sent again with `Last-Event-ID`, after the `retry` of the stream or the backoff of the policy.
 * - Downloads: a GET whose 200 or 206 has a length and a strong ETag. `Range` and `If-Match` ask for the rest.
 *
 * @throws TypeError, RangeError if an option is invalid
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { ebbInterceptor } from '@ebb/undici';
 * import { resumable } from '@ebb/resume/undici';
 * import { Agent } from 'undici';
 *
 * const policy = createPolicy({ maxRetries: 3 });
 * const dispatcher = new Agent().compose(ebbInterceptor(policy), resumable({ policy, idleTimeoutMs: 60_000 }));
 * ```
 */
export function resumable(options: ResumableOptions = {}): Dispatcher.DispatcherComposeInterceptor {
  const read = readResumeOptions(options);
  return function resumingAbove(dispatch) {
    return forHandlers(dispatch, (given, handler) => start(read, dispatch, given, handler));
  };
}
