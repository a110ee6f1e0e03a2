import { mayBeLayered, withSlots } from '#around';
import { HookError } from '../base/errors.ts';
import { LONGEST_DISCARD_MS } from '../bodies/keep.ts';
import { NO_LAYERS, type Passage } from '../layers/layer.ts';
import { LayerPlace } from '../layers/place.ts';
import type { Call } from './call.ts';
import type { OwnBucket } from './contracts.ts';
import { headersNow } from './header-changes.ts';

/** The attempt is about to be sent. @throws HookError if a function that returns the value of a header fails */
export function begin(call: Call): undefined {
  const { policy, parts, limit } = call;
  call.attempt += 1;
  const isWrapped = policy.aroundAttempt !== undefined || parts?.wraps;
  // What runs below a call that holds a slot must find that out. Asked for each attempt: a layer may have been made meanwhile.
  if (limit !== undefined || isWrapped || mayBeLayered(call.way)) {
    call.place ??= new LayerPlace(call.request, NO_LAYERS);
    call.place.enter(parts?.bucket, limit);
  }
  if (call.grant?.conforming === false) call.emit({ type: 'mark' });
  call.emit({ type: 'attempt' });
  if (call.pendingHeaders !== undefined) call.headerChanges = headersNow(call.pendingHeaders);
}

/**
 * Calls what sends the attempt, so that the layers of ebb below know that they are not the first. Nothing else belongs
 * in here: what a hook or a body factory sends is a call of its own.
 *
 * @throws HookError if `aroundAttempt` throws before it sends
 */
export function sending<T>(call: Call, send: () => T): T {
  const { place, attempt, request, parts } = call;
  const { aroundAttempt } = call.policy;
  const layered = place === undefined ? send : () => place.sending(send);
  const inner = parts?.wraps ? parts.wrap(layered) : layered;
  if (aroundAttempt === undefined) return inner();
  let isSent = false;
  const sendNow = (): T => {
    isSent = true;
    return inner();
  };
  try {
    return aroundAttempt(sendNow, { attempt, request });
  } catch (error) {
    if (isSent) throw error;
    // Nothing was sent: what was taken goes back.
    parts?.leave(undefined);
    throw new HookError('aroundAttempt', error);
  }
}

/** How long an attempt may take until its response, in milliseconds. To be called once for each, when it is sent. */
export function timeoutOf(call: Call): number | undefined {
  const { attemptTimeoutMs, clock } = call.policy;
  const ownMs = attemptTimeoutMs && Math.max(0, attemptTimeoutMs - (call.hookMs ?? 0));
  const timeoutMs = call.deadline === undefined ? ownMs : call.deadline.bound(ownMs);
  if (call.parts?.reads && timeoutMs !== undefined) call.endsAtMs = clock.now() + timeoutMs;
  return timeoutMs;
}

/** The timeout that an attempt runs into if it takes {@link timeoutOf}, for messages. */
export function namedTimeoutOf({ deadline, policy }: Call): number {
  return deadline?.bindsAttempt ? deadline.timeoutMs : (policy.attemptTimeoutMs as number);
}

/** The longest time for reading a response that is followed by a retry, in milliseconds. Leaves half of the remaining time for the retry. */
export function discardMsOf({ deadline }: Call): number {
  return Math.min(LONGEST_DISCARD_MS, Math.max(0, (deadline?.leftMs ?? Number.POSITIVE_INFINITY) / 2));
}

/**
 * Calls user code of a call. What it sends does not wait for slots, or for tokens that are charged at the end, which this call and
 * those around it hold; and layers around this one do not take it for their own.
 */
export function asUserCode<T>({ parts, around }: Call, run: () => T): T {
  const { limit, bucket } = parts ?? {};
  const isHeld = (one: object | undefined): one is object => one !== undefined;
  const held = [limit, (bucket as OwnBucket | undefined)?.settled ? bucket : undefined].filter(isHeld);
  const { slots, isInner } = around;
  return held.length > 0 || slots.length > 0 || isInner ? withSlots([...slots, ...held], run) : run();
}

/** For `LAYER` in the options of the client, if they reach the layers below; `undefined` if there is no other layer. */
export function layerOf({ place }: Call): Passage | undefined {
  return place?.passage;
}
