import {
  addsCredentials,
  areLayered,
  type Call,
  LAYER,
  mayBeSentAtOnce,
  mustTrust,
  originOf,
  startCall,
} from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { bodyOf } from './body/body-of.ts';
import type { Composition } from './composition.ts';
import { withRereadableHeaders } from './headers.ts';
import { Traits } from './traits.ts';
import { UndiciRequest } from './undici-request.ts';

interface Layered {
  readonly [LAYER]?: unknown;
}

/** `ebb` options hold for this layer only, not for a layer below. */
function withoutEbb({ ebb: _, ...others }: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  return others;
}

/**
 * True if nothing has to be made for a request before its first failure. A dispatcher does not know what is below it. Its first
 * response shows that: a layer below has found the call, or has noted a history. A layer that shows itself later, as below a
 * dispatcher that chooses by origin, retries in place of this one until then.
 */
function isSentAtOnce(
  { policy, hasBelow }: Composition,
  given: Dispatcher.DispatchOptions & Layered,
): boolean {
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
function checkTrust({ policy, request }: Call, { origin }: Dispatcher.DispatchOptions): void {
  if (!addsCredentials(policy)) return;
  mustTrust('ebb', policy);
  const isOwn = origin
    ? originOf({ url: String(origin) }) === originOf(request)
    : !Array.isArray(policy.trustedOrigins);
  if (!isOwn)
    throw new TypeError('ebb: with trustedOrigins a request must have an `origin`, that of its URL');
}

/**
 * Dispatches a request through the policy.
 *
 * @param isRest true if it asks for the rest of a download, and leaves a break to the one above
 */
export function start(
  composition: Composition,
  given: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
  isRest = false,
): boolean {
  const { ebb } = given;
  const own = ebb === undefined ? given : withoutEbb(given);
  if (ebb === false) return composition.dispatch(own, handler);
  let request: UndiciRequest;
  try {
    const options = withRereadableHeaders(own);
    const body = bodyOf(options);
    if (body?.make === undefined && isSentAtOnce(composition, given)) {
      request = new UndiciRequest(composition, options, body, handler, undefined);
    } else {
      const traits = new Traits(options, body, composition.ownOrigin);
      const { [LAYER]: carried }: Dispatcher.DispatchOptions & Layered = given;
      const call = startCall(composition.policy, traits, ebb, carried, 'dispatcher');
      checkTrust(call, given);
      request = new UndiciRequest(composition, options, body, handler, call);
    }
  } catch (error) {
    // undici reports invalid options in the same way.
    handler.onResponseError?.(null as never, error as Error);
    return false;
  }
  if (isRest) request.isRest = true;
  return request.start();
}
