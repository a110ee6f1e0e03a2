import { type Resuming, type ResumptionOptions, readResuming } from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import { withRereadableHeaders } from './headers.ts';
import { isLegacy, modernHandler, NO_H2 } from './legacy.ts';
import { ResumedCall } from './resumed-call.ts';

type Options = Dispatcher.DispatchOptions;
type Handler = Dispatcher.DispatchHandler;

/**
 * Options of {@link resuming}. `resumeWith` returns the options of the request for the rest, which goes to the origin of the first
 * unless it names another one.
 */
export type ResumingOptions = ResumptionOptions<Options>;

/** True for a request whose response has a body that this can read. What is no options object is for the dispatcher to refuse. */
function mayBeResumed(given: Options): boolean {
  if (typeof given !== 'object' || given === null) return false;
  return given.ebb !== false && !given.upgrade && given.method !== 'CONNECT';
}

function dispatchResumed(
  resuming: Resuming<Options>,
  dispatch: Dispatcher.Dispatch,
  given: Options,
  handler: Handler,
): boolean {
  if (!mayBeResumed(given)) return dispatch(given, handler);
  let options: Options;
  try {
    options = withRereadableHeaders(given);
  } catch (error) {
    // undici reports invalid options in the same way.
    handler.onResponseError?.(null as never, error as Error);
    return false;
  }
  return new ResumedCall(resuming, dispatch, options, handler).start();
}

/**
 * An interceptor for `dispatcher.compose()` whose event streams (200, `text/event-stream`, no content coding) go on after their
 * connection has broken. Compose it above ebb's own, with the same policy: it asks for the rest with a request of its own, and the
 * handler notices nothing but the time. What cannot be resumed without a doubt is not: the handler gets the error of the break, whose
 * `cause` says why.
 *
 * Whole events are passed on, in the same bytes, and an unfinished one is kept back. The same GET is sent again with `Last-Event-ID`,
 * after the `retry` of the stream or the backoff of the policy. Downloads are resumed by `ebbInterceptor` itself.
 *
 * @throws TypeError, RangeError if an option is invalid
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { ebbInterceptor } from '@ebb/undici';
 * import { resuming } from '@ebb/undici/resuming';
 * import { Agent } from 'undici';
 *
 * const policy = createPolicy({ maxRetries: 3 });
 * const dispatcher = new Agent().compose(ebbInterceptor(policy), resuming({ policy, idleTimeoutMs: 60_000 }));
 * ```
 */
export function resuming(options: ResumingOptions = {}): Dispatcher.DispatcherComposeInterceptor {
  const read = readResuming(options);
  return function resumingAbove(dispatch) {
    // `compose` requires a function of exactly two parameters.
    return function resumingDispatch(given: Options, handler: Handler): boolean {
      if (typeof handler?.onRequestStart === 'function' && typeof handler.onResponseError === 'function')
        return dispatchResumed(read, dispatch, given, handler);
      if (typeof handler !== 'object' || handler === null || !isLegacy(handler))
        return dispatch(given, handler);
      const modern = modernHandler(handler);
      return dispatchResumed(read, dispatch, { ...given, ...NO_H2 }, modern);
    };
  };
}
