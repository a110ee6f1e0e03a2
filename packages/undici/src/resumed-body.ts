import type { Duplex } from 'node:stream';
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
import { Attempt } from './attempt.ts';
import type { AttemptListener } from './attempt-listener.ts';
import type { Pausable } from './controller.ts';
import type { Downstream } from './downstream.ts';
import { bodyTimeoutError, cutShortError, requestAbortedError } from './errors.ts';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import { readerOf } from './resume.ts';
import type { DispatchResumer } from './resume-request.ts';
import { Silence } from './silence.ts';

type Options = Dispatcher.DispatchOptions;

/** What is resumed, and for whom. */
export interface Broken {
  readonly downstream: Downstream;
  readonly resumer: DispatchResumer;
  /** What the handler has, for its history. */
  readonly made: object;
  /** The longest silence, in milliseconds; `undefined` for any. */
  readonly idleTimeoutMs?: number | undefined;
  /** Sends a request for the rest. */
  send(rest: Options, attempt: Attempt): unknown;
}

/**
 * The body of a response that goes on, after a break, with that of a request for the rest. Each is a request of its own, and the
 * handler sees one response.
 */
export class ResumedBody implements AttemptListener<Attempt> {
  readonly #of: Broken;
  /** The last one: the response is its own, or its own is to be the rest. */
  #attempt: Attempt;
  /** The resumption under way, until the rest has begun. */
  #resumption: Resumption | undefined;
  #silence: Silence | undefined;
  /** Ends the wait before a request for the rest; `undefined` while there is none. */
  #wait: AbortController | undefined;

  constructor(of: Broken, attempt: Attempt) {
    this.#of = of;
    this.#attempt = attempt;
  }

  get attempt(): Attempt {
    return this.#attempt;
  }

  /** What brings the data of the last attempt, watched for silence. */
  connection(): Pausable | null | undefined {
    const { idleTimeoutMs, resumer } = this.#of;
    const attempt = this.#attempt;
    if (idleTimeoutMs === undefined) return attempt.connection;
    const fell = (): void => attempt.abort(bodyTimeoutError(idleTimeoutMs));
    this.#silence = new Silence(attempt.connection, resumer.clock, idleTimeoutMs, fell);
    return this.#silence;
  }

  sent(): void {}

  informed(): void {}

  arrived(): void {}

  /** The response to the request for the rest. */
  responded(attempt: Attempt, { status, headers }: ResponseHead): void {
    const { resumer, downstream } = this.#of;
    const resumption = this.#resumption as Resumption;
    this.#note(resumption, attempt.context);
    try {
      resumer.began(status, readerOf(headers), resumption.error);
    } catch (why) {
      this.#giveUp(why);
      return;
    }
    this.#resumption = undefined;
    attempt.forward();
    downstream.controller.attach(this.connection());
  }

  /** @param result what the request for the rest ended with */
  #note(resumption: Resumption, result: unknown): void {
    const { made, downstream } = this.#of;
    rememberResumption(made, result, resumption);
    downstream.noteAll();
  }

  data(_: Attempt, chunk: Buffer): void {
    const { resumer, downstream } = this.#of;
    this.#silence?.heard();
    let parts: readonly Uint8Array[];
    try {
      parts = downstream.runInAsyncScope(() => resumer.take(chunk, cutShortError));
    } catch (hookError) {
      this.#giveUp(hookError);
      return;
    }
    for (const part of parts) downstream.passData(part);
  }

  ended(_: Attempt, trailers: ResponseHeaders, rawTrailers: RawHeaders | undefined): void {
    const { resumer, downstream } = this.#of;
    this.#silence?.stop();
    const error = cutShortError();
    let hasEnded: boolean;
    try {
      hasEnded = downstream.runInAsyncScope(() => resumer.ended(error));
    } catch (why) {
      this.#fail(why);
      return;
    }
    if (hasEnded) this.#end(trailers, rawTrailers);
    else this.#resume(error, 'ended');
  }

  #end(trailers: ResponseHeaders, rawTrailers: RawHeaders | undefined): void {
    const { resumer, downstream } = this.#of;
    for (const part of resumer.course.left()) downstream.passData(part);
    downstream.passEnd(trailers, rawTrailers);
  }

  failed(_: Attempt, error: unknown): void {
    const { downstream } = this.#of;
    const resumption = this.#resumption as Resumption;
    if (downstream.controller.aborted) {
      this.#fail(error);
      return;
    }
    this.#note(resumption, error);
    this.#fail(explain(resumption.error, prose('its request failed'), error));
  }

  broke(_: Attempt, error: unknown): void {
    const { downstream, resumer } = this.#of;
    this.#silence?.stop();
    // The `bodyTimeout` of undici ends an idle body as well.
    const isIdle = property(error, 'code') === 'UND_ERR_BODY_TIMEOUT';
    if (downstream.controller.aborted || downstream.threw) this.#fail(error);
    else if (resumer.course.isDone) this.#end({}, undefined);
    else this.#resume(error, isIdle ? 'idle' : 'broken');
  }

  /** Asks for the rest of what has broken. */
  #resume(error: unknown, reason: ResumeReason): void {
    const { downstream, resumer, made } = this.#of;
    downstream.controller.attach(undefined);
    const wait = new AbortController();
    this.#wait = wait;
    const next = downstream.runInAsyncScope(() =>
      resumer.next(error, reason, made, wait.signal).then(({ rest, ebb, resumption }) => {
        this.#wait = undefined;
        this.#resumption = resumption;
        this.#send(ebb ? { ...rest, ebb } : rest);
      }),
    );
    next.catch((why: unknown) => this.#fail(why));
  }

  #send(options: Options): void {
    const attempt = new Attempt(this);
    this.#attempt = attempt;
    try {
      this.#of.send(options, attempt);
    } catch (error) {
      attempt.onResponseError(undefined, error);
    }
  }

  #fail(error: unknown): void {
    const { downstream, made } = this.#of;
    if (downstream.over) return;
    this.#silence?.stop();
    if (!downstream.controller.aborted) rememberOf(error, made);
    downstream.passError(error, this.#attempt.connection);
  }

  /** Ends with an error while undici still has the attempt. */
  #giveUp(error: unknown): void {
    const attempt = this.#attempt;
    try {
      this.#fail(error);
    } finally {
      // Not with the error itself, which has its history already.
      attempt.drop(requestAbortedError('Not the rest'));
    }
  }

  failedAgain(error: unknown): void {
    this.#of.downstream.failedAgain(error);
  }

  /** The handler aborts. */
  abort(reason: unknown): void {
    if (this.#wait === undefined) {
      this.#attempt.abort(reason);
      return;
    }
    const error = reason ?? requestAbortedError();
    this.#wait.abort(error);
    this.#fail(error);
  }

  upgraded(_: Attempt, __: ResponseHead, socket: Duplex): void {
    socket.destroy();
  }
}
