import type { Opened } from '../http/body.ts';
import type { FailureKind, Outcome } from '../http/outcome.ts';
import type { Call } from './call.ts';
import { type OutOfTime, timeoutError } from './deadline.ts';
import type { MakeBody } from './prepare.ts';

/** A client of promises: it sends one attempt, and reads how it ended. */
export interface Client<T> {
  /**
   * Makes the body of the attempt before it is sent; `undefined` if the body does not come from user code. The adapter keeps
   * what it makes until `send`.
   */
  readonly makeBody?: MakeBody | undefined;
  /** Sends the attempt. The call of the client itself goes through `sending`. */
  send(call: Call): Promise<T>;
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
  setAside(settled: unknown, call: Call, signal?: AbortSignal): Aside | undefined;
  /**
   * Calls `ended` once the body of a settled `send` has ended, failed, or been cancelled, and returns the result that the caller
   * gets. Called only if a slot is held. Not needed by a client whose results have complete bodies.
   */
  whenBodyEnds?(settled: unknown, ended: () => void): unknown;
  /**
   * Opens the body of the response that `send` resolved with, or that the error it rejected with carries, for a look at its
   * beginning; the caller gets all of it afterwards. `undefined` if there is none. Called only if the policy inspects bodies,
   * and only for an outcome of type `response`.
   *
   * @param replace takes what the caller gets in the place of `settled`, if that cannot be given another body
   */
  peek?(settled: unknown, replace: (settled: unknown) => void): Opened;
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

/** How an attempt has settled, and its outcome; `aside` once a retry follows. */
export interface Settled {
  value: unknown;
  failed: boolean;
  outcome?: Outcome | undefined;
  aside?: Aside | undefined;
}

export const succeeded = (value: unknown): Settled => ({ value, failed: false });
export const failed = (value: unknown): Settled => ({ value, failed: true });

/** Sends an attempt. */
export function sendBy<T>(client: Client<T>, call: Call): Promise<T> {
  try {
    // A base fetch may return something else than a promise, if it is a mock.
    return Promise.resolve(client.send(call));
  } catch (error) {
    return Promise.reject(error);
  }
}

/** What an attempt means. @param kind what it has failed with, if that is known */
export function outcomeOf<T>(client: Client<T>, at: Settled, kind: FailureKind | undefined): Outcome {
  let outcome: Outcome | undefined;
  try {
    if (!at.failed) outcome = client.outcome(at.value as T);
  } catch (error) {
    // The getters of some mocks throw.
    at.value = error;
    at.failed = true;
  }
  outcome ??= kind ? { type: 'failure', kind, error: at.value } : client.failure(at.value);
  at.outcome = outcome;
  return outcome;
}

/** The client's own error for an attempt that ran out of time. */
export function lateBy<T>(client: Client<T>, { timeoutMs }: OutOfTime): unknown {
  return client.timeoutError?.(timeoutMs) ?? timeoutError(timeoutMs);
}

/** Aborted at once: the caller gets the error now, and nothing of the request may go on after that. */
export function dropped<T>(client: Client<T>, call: Call, { value }: Settled, error: unknown): unknown {
  client.setAside(value, call, AbortSignal.abort());
  return error;
}
