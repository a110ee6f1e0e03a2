import type { Policy, PolicyOptions } from '@ebb/core';
import { countLayer, createPolicy, mustTrust } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Composition } from './composition.ts';
import { isLegacy, modernHandler, NO_H2 } from './legacy.ts';
import { start } from './start.ts';

type Handler = Dispatcher.DispatchHandler;

interface Options extends Dispatcher.DispatchOptions {
  /** False for legacy handlers, which do not support HTTP/2. */
  readonly allowH2?: boolean;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

let compositions = 0;

/**
 * Stands for the origin of a `Client` or `Pool`, which undici 7 does not tell an interceptor. A unique name keeps a
 * bucket per origin apart from those of other dispatchers.
 */
function makeOrigin(): string {
  compositions += 1;
  return `http://dispatcher-${compositions}.invalid`;
}

/**
 * An interceptor for `dispatcher.compose()`. It sends each request when the policy permits it, and retries it if the
 * policy says so. The handler sees one request: one controller, and the response or the error of the last attempt.
 * Without a retry a request behaves exactly like one of the bare dispatcher, but for `context`, which is always an
 * object.
 *
 * Requests fail with the errors of the dispatcher, and with two of ebb's: `ThrottledError` if no token or slot can be
 * had in time for the first attempt, and `HookError` if a hook or a body factory throws.
 *
 * @param policyOrOptions a policy, which several clients can share, or the options of a new one; by default a policy
 *   with all defaults
 * @throws TypeError, RangeError if an option is invalid
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/undici';
 * import { Agent, request } from 'undici';
 *
 * const dispatcher = new Agent().compose(ebbInterceptor({ maxRetries: 3 }));
 *
 * const { body } = await request('https://api.example.com/', { dispatcher });
 * console.log(await body.json());
 * ```
 */
export function ebbInterceptor(
  policyOrOptions: Policy | PolicyOptions = {},
): Dispatcher.DispatcherComposeInterceptor {
  const policy = createPolicy(policyOrOptions);
  mustTrust('ebbInterceptor', policy);
  return function ebb(dispatch) {
    const composed: Composition = {
      policy,
      dispatch,
      start,
      ownOrigin: makeOrigin(),
      hasBelow: undefined,
    };
    // `compose` requires a function of exactly two parameters.
    function ebbDispatch(options: Options, handler: Handler): boolean {
      if (!isObject(options) || !isObject(handler)) return dispatch(options, handler);
      if (typeof handler.onRequestStart === 'function' && typeof handler.onResponseError === 'function') {
        return start(composed, options, handler);
      }
      if (isLegacy(handler)) {
        const modern = modernHandler(handler);
        return start(composed, { ...options, ...NO_H2 }, modern);
      }
      // undici has an error of its own for such a handler.
      return dispatch(options, handler);
    }
    countLayer(true);
    return ebbDispatch;
  };
}
