import { createPolicy, type Policy, type PolicyOptions } from '@ebb/core';
import {
  addsCredentials,
  areLayered,
  countLayer,
  LAYER,
  mayBeSentAtOnce,
  mustTrust,
  originOf,
  type Session,
  startSession,
} from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { bodyOf } from './body/body-of.ts';
import type { Composition } from './composition.ts';
import { withRereadableHeaders } from './headers.ts';
import { isLegacy, type LegacyHandler, modernHandler } from './legacy.ts';
import { Relay } from './relay.ts';
import { Traits } from './traits.ts';

type Handler = Dispatcher.DispatchHandler;

interface Options extends Dispatcher.DispatchOptions {
  /** False for legacy handlers, which do not support HTTP/2. */
  readonly allowH2?: boolean;
}

interface Layered {
  readonly [LAYER]?: unknown;
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

/** `ebb` options hold for this layer only, not for a layer below. */
function withoutEbb({ ebb: _, ...others }: Options): Options {
  return others;
}

/**
 * True if nothing has to be made for a request before its first failure. A dispatcher does not know what is below it. Its first
 * response shows that: a layer below has found the call, or has noted a history. A layer that shows itself later, as below a
 * dispatcher that chooses by origin, retries in place of this one until then.
 */
function isSentAtOnce({ policy, hasBelow }: Composition, given: Options & Layered): boolean {
  return (
    given.ebb === undefined &&
    given[LAYER] === undefined &&
    (hasBelow === false || !areLayered()) &&
    mayBeSentAtOnce(policy)
  );
}

/**
 * A credential goes to the origin of the options, whatever a whole URL in their path says.
 *
 * @throws TypeError if the policy trusts no one, or it is not known whom the request goes to
 */
function checkTrust({ policy, request }: Session, { origin }: Options): void {
  if (!addsCredentials(policy)) return;
  mustTrust('ebb', policy);
  const isOwn = origin
    ? originOf({ url: String(origin) }) === originOf(request)
    : !Array.isArray(policy.trustedOrigins);
  if (!isOwn)
    throw new TypeError('ebb: with trustedOrigins a request must have an `origin`, that of its URL');
}

/** Dispatches a request through the policy. */
function relay(composition: Composition, given: Options, handler: Handler): boolean {
  const { ebb } = given;
  const own = ebb === undefined ? given : withoutEbb(given);
  if (ebb === false) return composition.dispatch(own, handler);
  let request: Relay;
  try {
    const options = withRereadableHeaders(own);
    const body = bodyOf(options);
    if (body?.make === undefined && isSentAtOnce(composition, given)) {
      request = new Relay(composition, options, body, handler, undefined);
    } else {
      const traits = new Traits(options, body, composition.ownOrigin);
      const session = startSession(
        composition.policy,
        traits,
        ebb,
        (given as Layered)[LAYER],
        'dispatcher',
      ) as Session;
      checkTrust(session, given);
      request = new Relay(composition, options, body, handler, session);
    }
  } catch (error) {
    // undici reports invalid options in the same way.
    handler.onResponseError?.(null as never, error as Error);
    return false;
  }
  return request.start();
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
      ownOrigin: makeOrigin(),
      hasBelow: undefined,
    };
    // `compose` requires a function of exactly two parameters.
    function ebbDispatch(options: Options, handler: Handler): boolean {
      if (!isObject(options) || !isObject(handler)) return dispatch(options, handler);
      if (typeof handler.onRequestStart === 'function' && typeof handler.onResponseError === 'function') {
        return relay(composed, options, handler);
      }
      if (isLegacy(handler)) {
        const modern = modernHandler(handler as LegacyHandler);
        return relay(composed, { ...options, allowH2: false } as Options, modern);
      }
      // undici has an error of its own for such a handler.
      return dispatch(options, handler);
    }
    countLayer(true);
    return ebbDispatch;
  };
}
