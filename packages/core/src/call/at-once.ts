import { hasContext, mayNest, outerCall } from '#nested';
import { property } from '../base/errors.ts';
import { isObserved } from '../events/emit.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { AroundCalls, Way } from '../nested/outer-call.ts';
import { POLICY, type Policy } from '../policy/options.ts';
import { Call } from './call.ts';
import { setHistoryOfSuccess } from './history.ts';
import { goOn } from './run.ts';
import type { Transport } from './transport.ts';

/**
 * True if a call can take the fast path: its policy has no hooks, timeouts, limits and plugins, no one listens to events, no
 * other call is around it, and nested clients, if there may be any, find it by the async context. A client then sends first, and
 * makes the call only after a failure.
 */
export function mayBeSentAtOnce(policy: Policy, way: Way): boolean {
  return (
    policy[POLICY].isPlain &&
    (hasContext || !mayNest(way)) &&
    outerCall() === undefined &&
    !isObserved(undefined, 'attempt') &&
    !isObserved(undefined, 'end')
  );
}

/**
 * True for a response that ends a call on the fast path. The response then has its history.
 *
 * @param outer the object by which nested calls have found the call
 */
export function isSuccess(result: unknown, outer: AroundCalls | undefined): boolean {
  if (outer) outer.isOpen = false;
  const status = property(result, 'status');
  if (!(typeof status === 'number' && status < 400)) return false;
  setHistoryOfSuccess(result, status);
  return true;
}

/** Leaves the fast path after any other result of the first attempt. @param outer as for `isSuccess` */
export function goOnAfter<T>(
  policy: Policy,
  way: Way,
  request: RequestTraits & Transport<T>,
  value: unknown,
  outer: AroundCalls | undefined,
  failed = false,
): T | Promise<T> {
  const call = new Call(policy, request, undefined, way);
  call.client = request;
  call.sentFirst(outer);
  return goOn(call, request, { value, failed });
}
