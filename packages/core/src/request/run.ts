import type { Outcome } from '../http/outcome.ts';
import { remember, rememberReason } from './history.ts';
import { hasEndedBelow, nextEnd, noteEnd } from './layers.ts';
import type { Session } from './session.ts';

/** How a client that answers with promises sends one attempt. */
export interface Exchange<T> {
  /** Sends it; the call of the client itself goes through {@link Session.sending}. */
  send(session: Session): Promise<T>;
  /** Reads what `send` resolved with. */
  outcome(result: T): Outcome;
  /** Reads what `send` rejected with. */
  failure(error: unknown): Outcome;
  /**
   * Lets go of what `send` settled with, because a retry is to follow, so that its connection can be used again.
   */
  setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined;
  /**
   * Calls `ended` when the body of what `send` settled with has ended, failed, or been cancelled, and returns
   * what the caller is given in its place. Called only if a slot waits for that; a client whose results come
   * with their bodies whole does without.
   */
  whenBodyEnds?(settled: unknown, ended: () => void): unknown;
  /** The call has ended before its first attempt was sent. What was to be uploaded is not read any more. */
  unsent?(reason: unknown): void;
}

/** A result that a retry is to follow. */
export interface Aside {
  /** Resolves when its connection can be used again, or is gone. Never rejects, and ends within bounds. */
  readonly released: Promise<void>;
  /**
   * What the caller gets if the retry is not sent after all: the same result with its body whole, or with one
   * whose reading fails if it was too long to keep. Without it, the result as it is.
   */
  restore?(): unknown;
}

/** What `send` settled with. */
interface Settled {
  readonly value: unknown;
  readonly failed: boolean;
}

/**
 * Sends a request until the policy is content, and settles as the client did at the last attempt.
 *
 * @throws whatever the client's last attempt threw, as it is
 * @throws the signal's reason, ThrottledError, HookError as {@link Session} does
 */
export async function run<T>(session: Session, exchange: Exchange<T>, signal?: AbortSignal): Promise<T> {
  try {
    let last: Settled | undefined;
    let aside: Aside | undefined;
    for (;;) {
      const waiting = session.ready(signal, aside?.released);
      if (waiting !== undefined && !(await waiting) && last !== undefined) {
        return end(session, aside?.restore?.() ?? last.value, last.failed);
      }

      const since = nextEnd();
      let outcome: Outcome;
      try {
        const result = await exchange.send(session);
        last = { value: result, failed: false };
        outcome = exchange.outcome(result);
      } catch (error) {
        last = { value: error, failed: true };
        outcome = signal?.aborted ? { type: 'failure', kind: 'aborted', error } : exchange.failure(error);
      }

      const { value, failed } = last;
      if (hasEndedBelow(value, since)) session.pass(outcome);
      else if (again(session, exchange, value, outcome)) {
        aside = exchange.setAside(value, session, signal);
        continue;
      }
      return end(session, session.holdsSlot ? watched(session, exchange, value) : value, failed);
    }
  } catch (error) {
    if (session.attempt === 0) exchange.unsent?.(error);
    if (signal?.aborted && error === signal.reason) rememberReason(error, session.history);
    else remember(error, session.history);
    throw error;
  }
}

function end<T>(session: Session, result: unknown, failed: boolean): T {
  if (!session.isInner) noteEnd(result);
  if (failed) throw result;
  remember(result, session.history);
  return result as T;
}

function again<T>(session: Session, exchange: Exchange<T>, settled: unknown, outcome: Outcome): boolean {
  try {
    return session.judge(outcome).retry;
  } catch (hookError) {
    // At once: the caller has what it gets, and nothing of ours is to go on after that.
    exchange.setAside(settled, session, AbortSignal.abort());
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
