import { closeCall, isWithinCall, knowsAsyncContext, mayBeLayered, nextEnd, openCall, within } from '#around';
import { property } from '../base/property.ts';
import type { RequestTraits } from '../http/outcome.ts';
import { isObserved } from './events.ts';
import type { Exchange } from './exchange.ts';
import { type Attempt, attemptsOf, remember } from './history.ts';
import type { LayeredCall, Passage, Way } from './layer.ts';
import { insideOf, type Policy } from './policy.ts';
import { goOn } from './run.ts';
import { Session } from './session.ts';

/**
 * True if nothing has to be made for a call before its first failure, but for what layers below have to know: its policy has no
 * parts, hooks and timeouts, no one listens to events, and no other layer is around it.
 */
export function mayBeSentAtOnce(policy: Policy): boolean {
  return (
    insideOf(policy).isPlain &&
    !isWithinCall() &&
    // Without async context, layers that were not found are told by when they ended.
    (knowsAsyncContext() || nextEnd() === 0) &&
    !isObserved(undefined, 'attempt') &&
    !isObserved(undefined, 'end')
  );
}

/** @param layer what a session shows to the layers below; true if one of them has found it */
export function hasReachedLayer(layer: object): boolean {
  return (layer as Passage).call.isReached === true;
}

const NONE: readonly object[] = [];

/** A call that is sent at once, as the layers below see it. It takes no tokens, and holds no slots. */
class AtOnce implements Passage, LayeredCall {
  open = false;
  dispatched = false;
  hasFailed = false;
  declare isReached?: boolean;
  readonly #make: () => RequestTraits;

  constructor(make: () => RequestTraits) {
    this.#make = make;
    openCall(this);
  }

  get call(): LayeredCall {
    return this;
  }

  get request(): RequestTraits {
    return this.#make();
  }

  get tookFrom(): readonly object[] {
    return NONE;
  }

  get slotsOf(): readonly object[] {
    return NONE;
  }
}

/**
 * Sends a request that {@link mayBeSentAtOnce}.
 *
 * @param make makes the request and its exchange; called when the first attempt has failed, and for layers below
 * @param send sends the first attempt, with what has to be under `LAYER` in its options
 */
export function sendAtOnce<T>(
  policy: Policy,
  way: Way,
  make: () => RequestTraits & Exchange<T>,
  send: (passage: Passage | undefined) => Promise<T>,
): Promise<T> {
  const passage = mayBeLayered(way) ? new AtOnce(make) : undefined;
  const after = (value: unknown, failed: boolean): T | Promise<T> => {
    const exchange = make();
    const session = new Session(policy, exchange, undefined, way);
    if (!failed || passage?.hasFailed !== true) return goOn(session, exchange, value, failed);
    // A request that the base fetch has made was repeated, and has failed.
    session.attempt = 1;
    session.pass(exchange.failure(value));
    if (attemptsOf(value).length === 0) remember(value, session.trace);
    throw value;
  };
  let sent: Promise<T>;
  try {
    // A mock may return something else than a promise.
    sent = Promise.resolve(passage === undefined ? send(passage) : within(passage, () => send(passage)));
  } catch (error) {
    sent = Promise.reject(error);
  }
  return sent.then(
    (result) => {
      if (passage !== undefined) closeCall(passage);
      const status = property(result, 'status') as number;
      if (!(status < 400)) return after(result, false);
      rememberSuccess(result, status);
      return result;
    },
    (error: unknown) => {
      if (passage !== undefined) closeCall(passage);
      return after(error, true);
    },
  );
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
