import { remember } from './history.ts';
import type { Outcome } from './outcome.ts';
import type { Session } from './session.ts';

/** How a client that answers with promises sends one attempt. */
export interface Exchange<T> {
  send(session: Session): Promise<T>;
  /** Reads what `send` resolved with. */
  outcome(result: T): Outcome;
  /** Reads what `send` rejected with. */
  failure(error: unknown): Outcome;
  /**
   * Lets go of what `send` settled with, which nobody will see, so that its connection can be used again.
   * Never rejects, and ends within bounds.
   */
  discard(settled: unknown, session: Session, signal?: AbortSignal): Promise<void> | undefined;
  /**
   * Calls `ended` when the body of what `send` settled with has ended, failed, or been cancelled, and answers
   * what the caller is given in its place. Asked only where a slot waits for that; a client whose answers come
   * with their bodies whole does without.
   */
  whenBodyEnds?(settled: unknown, ended: () => void): unknown;
}

/**
 * Sends a request until the policy is content, and settles as the client did at the last attempt.
 *
 * @throws whatever the client's last attempt threw, as it is
 * @throws the signal's reason, ThrottledError, HookError as {@link Session} does
 */
export async function run<T>(session: Session, exchange: Exchange<T>, signal?: AbortSignal): Promise<T> {
  let released: Promise<void> | undefined;
  try {
    for (;;) {
      const waiting = session.ready(signal, released);
      if (waiting !== undefined) await waiting;

      let settled: unknown;
      let outcome: Outcome;
      let failed = false;
      try {
        const result = await exchange.send(session);
        settled = result;
        outcome = exchange.outcome(result);
      } catch (error) {
        failed = true;
        settled = error;
        outcome = signal?.aborted ? { type: 'failure', kind: 'aborted', error } : exchange.failure(error);
      }

      if (again(session, exchange, settled, outcome)) {
        released = exchange.discard(settled, session, signal);
      } else {
        const last = session.holdsSlot ? watched(session, exchange, settled) : settled;
        if (failed) throw last;
        remember(last, session.history);
        return last as T;
      }
    }
  } catch (error) {
    remember(error, session.history);
    throw error;
  }
}

function again<T>(session: Session, exchange: Exchange<T>, settled: unknown, outcome: Outcome): boolean {
  try {
    return session.judge(outcome).retry;
  } catch (hookError) {
    // At once: the caller has what it gets, and nothing of ours is to go on after that.
    void exchange.discard(settled, session, AbortSignal.abort());
    throw hookError;
  }
}

/** What the caller is given, with the slot given back when its body has ended. */
function watched<T>(session: Session, exchange: Exchange<T>, settled: unknown): unknown {
  const ended = (): void => session.bodyEnded();
  if (exchange.whenBodyEnds !== undefined) return exchange.whenBodyEnds(settled, ended);
  ended();
  return settled;
}
