import { isWithinCall, mayBeLayered } from '#around';
import { isObserved } from './events.ts';
import { type Attempt, remember } from './history.ts';
import type { Passage, Way } from './layer.ts';
import { insideOf, type Policy } from './policy.ts';

/**
 * True if nothing has to be made for a call before its first failure: its policy has no parts, hooks and timeouts, no one listens
 * to events, and no other layer is around it or below it.
 */
export function mayBeSentAtOnce(policy: Policy, way: Way): boolean {
  return (
    insideOf(policy).isPlain &&
    !mayBeLayered(way) &&
    !isWithinCall() &&
    !isObserved(undefined, 'attempt') &&
    !isObserved(undefined, 'end')
  );
}

/** @param layer what a session shows to the layers below; true if one of them has found it */
export function hasReachedLayer(layer: object): boolean {
  return (layer as Passage).call.isReached === true;
}

/** The histories of calls that were successful at once, by status. */
const histories: (readonly Attempt[] | undefined)[] = [];

/** Notes the history of a call that was successful at once. All with the same status share it. */
export function rememberSuccess(result: unknown, status: number): void {
  let history = histories[status];
  if (history === undefined) {
    const record: Attempt = { attempt: 1, delayMs: 0, throttledMs: 0, status, reason: 'success' };
    history = Object.freeze([Object.freeze(record)]);
    // A mock may have any number for a status.
    if (status >= 100 && status < 400 && Number.isInteger(status)) histories[status] = history;
  }
  remember(result, history);
}
