import type { Outcome } from '../http/outcome.ts';
import { remember, rememberReason } from './history.ts';
import { hasEndedBelow, nextEnd, noteEnd } from './layers.ts';
import type { Session } from './session.ts';

/** How a promise-based client sends one attempt. */
export interface Exchange<T> {
  /** Sends the attempt. The call of the client itself goes through {@link Session.sending}. */
  send(session: Session): Promise<T>;
  /** Reads what `send` resolved with. */
  outcome(result: T): Outcome;
  /** Reads what `send` rejected with. */
  failure(error: unknown): Outcome;
  /**
   * Discards what `send` settled with, because a retry follows, so that its connection can be used again. `undefined` if
   * there is nothing to wait for.
   */
  setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined;
  /**
   * Calls `ended` once the body of what `send` settled with has ended, failed, or been cancelled, and returns what the
   * caller gets in its place. Called only if a slot is held. Not needed by a client whose results have complete bodies.
   */
  whenBodyEnds?(settled: unknown, ended: () => void): unknown;
  /** The call has ended before its first attempt was sent: the upload will not be read. */
  unsent?(reason: unknown): void;
}

/** A result that a retry follows. */
export interface Aside {
  /** Resolves when the connection of the result can be used again, or is closed. Never rejects, and takes bounded time. */
  readonly released: Promise<void>;
  /**
   * What the caller gets if the retry is not sent after all: the same result with its whole body, or with a body that
   * fails to be read if it was too long to keep. Without this, the result itself.
   */
  restore?(): unknown;
}

/** What `send` settled with. */
interface Settled {
  readonly value: unknown;
  readonly failed: boolean;
}

/**
 * Sends a request until its policy stops, and settles as the client did at the last attempt.
 *
 * @throws what the last attempt of the client threw, unchanged
 * @throws the signal's reason, ThrottledError or HookError, as {@link Session.ready} and {@link Session.judge} do
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
      else if (retries(session, exchange, value, outcome)) {
        aside = exchange.setAside(value, session, signal);
        continue;
      }
      return end(session, session.holdsSlot ? releasingSlot(session, exchange, value) : value, failed);
    }
  } catch (error) {
    if (session.attempt === 0) exchange.unsent?.(error);
    if (signal?.aborted && error === signal.reason) rememberReason(error, session.history);
    else remember(error, session.history);
    throw error;
  }
}

function retries<T>(session: Session, exchange: Exchange<T>, settled: unknown, outcome: Outcome): boolean {
  try {
    return session.judge(outcome).retry;
  } catch (hookError) {
    // Aborted at once: the caller gets the error now, and nothing of the request may go on after that.
    exchange.setAside(settled, session, AbortSignal.abort());
    throw hookError;
  }
}

/** What the caller gets, with the slot released once its body has ended. */
function releasingSlot<T>(session: Session, exchange: Exchange<T>, settled: unknown): unknown {
  const ended = (): void => session.bodyEnded();
  if (exchange.whenBodyEnds !== undefined) return exchange.whenBodyEnds(settled, ended);
  ended();
  return settled;
}

function end<T>(session: Session, result: unknown, failed: boolean): T {
  if (!session.isInner) noteEnd(result);
  if (failed) throw result;
  remember(result, session.history);
  return result as T;
}
