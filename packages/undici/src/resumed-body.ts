import type { Clock } from '@ebb/core';
import {
  explain,
  property,
  prose,
  type ResumeReason,
  type Resumption,
  rememberOf,
  rememberResumption,
} from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import { Attempt, type AttemptListener } from './attempt.ts';
import type { Downstream } from './downstream.ts';
import { bodyTimeoutError, cutShortError, requestAbortedError } from './errors.ts';
import { type RawHeaders, type ResponseHead, type ResponseHeaders, readerOf } from './headers.ts';
import type { Pausable } from './held.ts';
import type { DispatchResumer } from './resume.ts';

type Options = Dispatcher.DispatchOptions;

/**
 * The body of a response that goes on, after a break, with that of a request for the rest. Each is a request of its own, and the
 * handler sees one response.
 */
export class ResumedBody implements AttemptListener {
  readonly #downstream: Downstream;
  readonly #resumer: DispatchResumer;
  readonly #send: (rest: Options, attempt: Attempt) => unknown;
  readonly #idleTimeoutMs: number | undefined;
  /** The last one; `undefined` before the first. */
  #resumption: Resumption | undefined;
  #silence: Silence | undefined;
  /** Ends the wait before a request for the rest. */
  #wait: AbortController | undefined;

  /**
   * @param send sends a request for the rest
   * @param idleTimeoutMs the longest silence, in milliseconds; `undefined` for any
   */
  constructor(
    downstream: Downstream,
    resumer: DispatchResumer,
    send: (rest: Options, attempt: Attempt) => unknown,
    idleTimeoutMs?: number,
  ) {
    this.#downstream = downstream;
    this.#resumer = resumer;
    this.#send = send;
    this.#idleTimeoutMs = idleTimeoutMs;
  }

  /** The response to the request for the rest. */
  responded(attempt: Attempt, head: ResponseHead): void {
    const resumption = this.#resumption as Resumption;
    this.#note(resumption, attempt.context);
    try {
      this.#resumer.began(head.status, readerOf(head.headers), resumption.error);
    } catch (why) {
      this.#giveUp(why);
      return;
    }
    attempt.deliver(head);
  }

  /** The handler has the headers if this is the rest. */
  head(connection: Pausable | null | undefined, head: ResponseHead): void {
    const downstream = this.#downstream;
    const { attempt } = downstream;
    const idleMs = this.#idleTimeoutMs;
    if (idleMs !== undefined) {
      const fell = (): void => attempt?.abort(bodyTimeoutError(idleMs));
      this.#silence = watchSilence(connection, this.#resumer.clock, idleMs, fell);
    }
    if (this.#resumption === undefined) downstream.head(this.#silence ?? connection, head);
    else downstream.controller.attach(this.#silence ?? connection);
  }

  /** @param result what the request for the rest ended with */
  #note(resumption: Resumption, result: unknown): void {
    rememberResumption(this.#downstream.made, result, resumption);
    this.#downstream.noteAll();
  }

  data(attempt: Attempt, chunk: Buffer): void {
    const downstream = this.#downstream;
    this.#silence?.heard();
    let parts: readonly Uint8Array[];
    try {
      parts = downstream.runInAsyncScope(() => this.#resumer.take(chunk, cutShortError));
    } catch (hookError) {
      this.#giveUp(hookError);
      return;
    }
    for (const part of parts) downstream.data(attempt, part);
  }

  ended(attempt: Attempt, trailers: ResponseHeaders, rawTrailers: RawHeaders): void {
    this.#silence?.stop();
    const error = cutShortError();
    let hasEnded: boolean;
    try {
      hasEnded = this.#downstream.runInAsyncScope(() => this.#resumer.ended(error));
    } catch (why) {
      this.#fail(why);
      return;
    }
    if (hasEnded) this.#end(attempt, trailers, rawTrailers);
    else this.#resume(error, 'ended');
  }

  #end(attempt: Attempt, trailers: ResponseHeaders, rawTrailers: RawHeaders): void {
    for (const part of this.#resumer.course.left()) this.#downstream.data(attempt, part);
    this.#downstream.ended(attempt, trailers, rawTrailers);
  }

  failed(_: Attempt, error: unknown): void {
    if (this.#downstream.controller.aborted) {
      this.#wait?.abort(error);
      this.#fail(error);
      return;
    }
    const resumption = this.#resumption as Resumption;
    this.#note(resumption, error);
    this.#fail(explain(resumption.error, prose('its request failed'), error));
  }

  broke(attempt: Attempt, error: unknown): void {
    const { controller, threw } = this.#downstream;
    this.#silence?.stop();
    // The `bodyTimeout` of undici ends an idle body as well.
    const isIdle = property(error, 'code') === 'UND_ERR_BODY_TIMEOUT';
    if (controller.aborted || threw) this.#fail(error);
    else if (this.#resumer.course.isDone) this.#end(attempt, {}, null);
    else this.#resume(error, isIdle ? 'idle' : 'broken');
  }

  /** Asks for the rest of what has broken. */
  #resume(error: unknown, reason: ResumeReason): void {
    const downstream = this.#downstream;
    const { controller } = downstream;
    controller.attach(undefined);
    const wait = new AbortController();
    this.#wait = wait;
    const asked = downstream.runInAsyncScope(() =>
      this.#resumer.next(error, reason, downstream.made, wait.signal),
    );
    // Not before: whether there is a request for the rest depends on where the last attempt has ended.
    const attempt = new Attempt(this);
    downstream.attempt = attempt;
    // An observer may have aborted.
    if (controller.aborted) attempt.abort(controller.reason);
    downstream.runInAsyncScope(() =>
      asked.then(
        ({ rest, ebb, resumption }) => {
          this.#resumption = resumption;
          try {
            this.#send(ebb ? { ...rest, ebb } : rest, attempt);
          } catch (thrown) {
            attempt.onResponseError(undefined, thrown);
          }
        },
        (why: unknown) => this.#fail(why),
      ),
    );
  }

  #fail(error: unknown): void {
    const downstream = this.#downstream;
    if (downstream.over) return;
    this.#silence?.stop();
    if (!downstream.controller.aborted) rememberOf(error, downstream.made);
    downstream.passError(error);
  }

  /** Ends with an error while undici still has the attempt. */
  #giveUp(error: unknown): void {
    const { attempt } = this.#downstream;
    try {
      this.#fail(error);
    } finally {
      // Not with the error itself, which has its history already.
      attempt?.drop(requestAbortedError('Not the rest'));
    }
  }

  failedAgain(error: unknown): void {
    this.#downstream.failedAgain(error);
  }
}

/** A connection whose silence is noticed. */
interface Silence extends Pausable {
  heard(): void;
  stop(): void;
}

/**
 * Finds out when a connection brings nothing for too long. The time in which its reader has paused it does not count.
 *
 * @param fell called after a silence of `idleMs` milliseconds
 */
function watchSilence(
  connection: Pausable | null | undefined,
  clock: Clock,
  idleMs: number,
  fell: () => void,
): Silence {
  let heardAtMs = clock.now();
  let isPaused = false;
  let cancel: () => void;
  const heard = (): void => {
    heardAtMs = clock.now();
  };
  // Not a timer for each chunk: one that looks when the last came.
  const watch = (waitMs: number): void => {
    cancel = clock.schedule(() => {
      const leftMs = isPaused ? idleMs : heardAtMs + idleMs - clock.now();
      if (leftMs > 0) watch(leftMs);
      else fell();
    }, waitMs);
  };
  watch(idleMs);
  return {
    heard,
    stop: () => cancel(),
    pause() {
      isPaused = true;
      connection?.pause();
    },
    resume() {
      isPaused = false;
      heard();
      connection?.resume();
    },
  };
}
