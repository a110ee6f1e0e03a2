import type { Outcome } from '../http/outcome.ts';
import type { Opened } from '../http/peek.ts';
import type { MakeBody } from './prepare.ts';
import type { Session } from './session.ts';

/** How a promise-based client sends one attempt. */
export interface Exchange<T> {
  /**
   * Makes the body of the attempt before it is sent; `undefined` if the body does not come from user code. The adapter keeps
   * what it makes until `send`.
   */
  readonly makeBody?: MakeBody | undefined;
  /** Sends the attempt. The call of the client itself goes through {@link Session.sending}. */
  send(session: Session): Promise<T>;
  /** The client's own error for a timeout; without this a `TimeoutError` as `AbortSignal.timeout` makes it. */
  timeoutError?(timeoutMs: number): unknown;
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
  /**
   * Opens the body of the response that `send` resolved with, or that the error it rejected with carries, for a look at its
   * beginning; the caller gets all of it afterwards. `undefined` if there is none. Called only if the policy inspects bodies,
   * and only for an outcome of type `response`.
   */
  peek?(settled: unknown, maxBytes: number): Opened;
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
  /** True once it is known that {@link restore} returns it without its body. */
  readonly isLost?: boolean | undefined;
}
