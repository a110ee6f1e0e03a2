import type { HedgeOptions } from '@ebb/core';
import { Hedging } from '@ebb/core/hedging';
import type { Dispatcher } from 'undici';
import { bodyOf } from './body/body-of.ts';
import { withRereadableHeaders } from './headers.ts';
import { HedgedCall, Try } from './hedged-call.ts';
import { Traits } from './traits.ts';

type Options = Dispatcher.DispatchOptions;
type Handler = Dispatcher.DispatchHandler;

/** Stands for the origin of a `Client` or `Pool`, which undici 7 does not tell an interceptor. */
const OWN_ORIGIN = 'http://dispatcher.invalid';

/** The request as policies see it; `undefined` if it is not hedged. */
function hedgeable(options: Options, handler: Handler, hedging: Hedging): Traits | undefined {
  const isModern =
    typeof handler?.onRequestStart === 'function' && typeof handler.onResponseError === 'function';
  if (!isModern || typeof options?.method !== 'string' || options.upgrade) return undefined;
  const body = bodyOf(options);
  const traits = new Traits(options, body, OWN_ORIGIN);
  if (!hedging.hedges(traits.method) || traits.method === 'CONNECT') return undefined;
  // A body that has to be taken for each send is a stream, or made by user code.
  return body === undefined || (body.replayable && !body.take && !body.make) ? traits : undefined;
}

/**
 * An interceptor for `dispatcher.compose()` that sends a request a second time if it takes longer than most, and passes the response
 * on that comes first. To be composed below ebb's own with the same policy. A hedge never waits: it is sent only if it has a token of
 * its own, a retry of the budget, tokens of the bucket and a free slot. The tries that lose are aborted.
 *
 * If all tries fail, the request ends as the first one did, and the interceptor above decides on a retry.
 *
 * @throws TypeError, RangeError if an option is wrong; `compose` does if what is below hedges already
 * @example
 * ```ts
 * import { createPolicy, retryBudget } from '@ebb/core';
 * import { ebbInterceptor } from '@ebb/undici';
 * import { hedge } from '@ebb/undici/hedge';
 * import { Agent, request } from 'undici';
 *
 * const policy = createPolicy({ budget: retryBudget() });
 * const dispatcher = new Agent().compose(hedge({ policy }), ebbInterceptor(policy));
 *
 * const { body } = await request('https://api.example.com/', { dispatcher });
 * console.log(await body.json());
 * ```
 */
export function hedge(options: HedgeOptions): Dispatcher.DispatcherComposeInterceptor {
  const hedging = new Hedging('hedge', options);
  return function hedgeBelow(dispatch) {
    hedging.mustNotHedge('hedge: dispatch', dispatch);
    // `compose` requires a function of exactly two parameters.
    function hedgedDispatch(given: Options, handler: Handler): boolean {
      // Dispatchers that were composed one by one do not show what is below.
      if (handler instanceof Try) hedging.mustNotHedge('hedge: dispatch', hedgedDispatch);
      const traits = hedgeable(given, handler, hedging);
      if (traits === undefined) return dispatch(given, handler);
      return new HedgedCall(hedging, dispatch, withRereadableHeaders(given), traits, handler).start();
    }
    hedging.mark(hedgedDispatch);
    return hedgedDispatch;
  };
}
