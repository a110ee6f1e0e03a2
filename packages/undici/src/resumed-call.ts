import type { Duplex } from 'node:stream';
import {
  explain,
  property,
  prose,
  type ResumeReason,
  type Resuming,
  type Resumption,
  rememberOf,
  rememberResumption,
} from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import { Attempt } from './attempt.ts';
import { type AttemptListener, uploadEvents } from './attempt-listener.ts';
import { isCoded, streamOf } from './buffer-stream.ts';
import { Downstream } from './downstream.ts';
import { bodyTimeoutError, cutShortError, requestAbortedError } from './errors.ts';
import { mirrorGaps } from './gaps.ts';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import { readerOf } from './resume.ts';
import { type DispatchResumer, resumerOf } from './resume-request.ts';
import { Silence } from './silence.ts';

type Options = Dispatcher.DispatchOptions;

/** Marks the context of requests that are resumed already. Known to all copies of this package in a program. */
const RESUMED = Symbol.for('@ebb/undici resumed');

/** A request whose event stream goes on after a break. Its handler sees one request: one controller, and one response. */
export class ResumedCall extends Downstream implements AttemptListener<Attempt> {
  readonly #resuming: Resuming<Options>;
  readonly #dispatch: Dispatcher.Dispatch;
  readonly #options: Options;
  #attempt: Attempt;
  /** The stream that the handler is receiving; `undefined` for other responses. */
  #resumer: DispatchResumer | undefined;
  /** True for an event stream that cannot be read, because it is compressed. */
  #isCoded = false;
  /** The resumption under way, until the rest has begun. */
  #resumption: Resumption | undefined;
  /** Has the history. */
  #made: object = {};
  #silence: Silence | undefined;
  /** Ends the wait before a request for the rest; `undefined` while there is none. */
  #wait: AbortController | undefined;

  constructor(
    resuming: Resuming<Options>,
    dispatch: Dispatcher.Dispatch,
    options: Options,
    handler: Dispatcher.DispatchHandler,
  ) {
    super(handler);
    this.#resuming = resuming;
    this.#dispatch = dispatch;
    this.#options = options;
    this.#attempt = new Attempt(this);
  }

  /** @throws what the dispatcher throws */
  start(): boolean {
    const attempt = this.#attempt;
    const { onBodySent, onRequestSent } = this.handler;
    if (onBodySent ?? onRequestSent) Object.assign(attempt, uploadEvents(this));
    attempt.restoreMethods = mirrorGaps(this.handler, this.#options, attempt);
    return this.#dispatch(this.#options, attempt);
  }

  sent(attempt: Attempt): void {
    if (this.#resumption === undefined)
      this.open({ ...attempt.context, [RESUMED]: true }, attempt.starts > 1);
  }

  informed(attempt: Attempt, head: ResponseHead): void {
    if (this.#resumption === undefined) this.inform(attempt, head);
  }

  responded(attempt: Attempt, head: ResponseHead): void {
    const resumption = this.#resumption;
    if (resumption !== undefined) {
      this.#respondedRest(attempt, head, resumption);
      return;
    }
    this.#made = attempt.context ?? {};
    // Of two around one another the inner one does it.
    if (!(RESUMED in this.#made)) this.#resumer = this.#resumerOf(head);
    attempt.forward();
    this.pass(this.#watched(attempt), head);
  }

  #resumerOf(head: ResponseHead): DispatchResumer | undefined {
    const options = this.#options;
    const course = streamOf(head, options.headers, this.#resuming);
    this.#isCoded = course === 'coded';
    if (course === undefined || course === 'coded') return undefined;
    return resumerOf(course, options, this.#resuming, () => this.#attempt);
  }

  /** The connection of an attempt, watched for silence. */
  #watched(attempt: Attempt): Silence | Attempt['connection'] {
    const { idleTimeoutMs, policy } = this.#resuming;
    if (idleTimeoutMs === undefined || this.#resumer === undefined) return attempt.connection;
    const fell = (): void => attempt.abort(bodyTimeoutError(idleTimeoutMs));
    this.#silence = new Silence(attempt.connection, policy.clock, idleTimeoutMs, fell);
    return this.#silence;
  }

  /** The response to the request for the rest. */
  #respondedRest(attempt: Attempt, head: ResponseHead, resumption: Resumption): void {
    const { status, headers } = head;
    this.#note(attempt.context ?? {}, resumption);
    try {
      if (isCoded(headers)) throw explain(resumption.error, prose('another content coding'));
      this.#resumer?.began(status, readerOf(headers), resumption.error);
    } catch (error) {
      this.#giveUp(attempt, error);
      return;
    }
    this.#resumption = undefined;
    attempt.forward();
    this.controller.attach(this.#watched(attempt));
  }

  #note(result: object, resumption: Resumption): void {
    rememberResumption(this.#made, result, resumption);
    this.noteAll();
  }

  protected note(result: unknown): void {
    rememberOf(result as object, this.#made);
  }

  data(attempt: Attempt, chunk: Buffer): void {
    const resumer = this.#resumer;
    if (resumer === undefined) {
      this.passData(chunk);
      return;
    }
    this.#silence?.heard();
    let parts: readonly Uint8Array[];
    try {
      parts = this.runInAsyncScope(() => resumer.take(chunk, cutShortError));
    } catch (hookError) {
      this.#giveUp(attempt, hookError);
      return;
    }
    for (const part of parts) this.passData(part as Buffer);
  }

  ended(_: Attempt, trailers: ResponseHeaders, rawTrailers: RawHeaders | undefined): void {
    const resumer = this.#resumer;
    this.#silence?.stop();
    const error = cutShortError();
    let hasEnded = true;
    try {
      hasEnded = resumer === undefined || this.runInAsyncScope(() => resumer.ended(error));
    } catch (why) {
      this.#fail(why);
      return;
    }
    if (hasEnded) this.#end(trailers, rawTrailers);
    else this.#resume(error, 'ended');
  }

  #end(trailers: ResponseHeaders, rawTrailers: RawHeaders | undefined): void {
    for (const part of this.#resumer?.course.left() ?? []) this.passData(part as Buffer);
    this.passEnd(trailers, rawTrailers);
  }

  failed(_: Attempt, error: Error): void {
    const resumption = this.#resumption;
    if (resumption === undefined || this.controller.aborted) {
      this.#fail(error);
      return;
    }
    this.#note(error, resumption);
    this.#fail(explain(resumption.error, prose('its request failed'), error));
  }

  broke(_: Attempt, error: Error): void {
    this.#silence?.stop();
    const resumer = this.#resumer;
    // Of undici itself as well.
    const isIdle = property(error, 'code') === 'UND_ERR_BODY_TIMEOUT';
    if (this.controller.aborted || this.threw) this.#fail(error);
    else if (this.#isCoded) this.#fail(explain(error, prose('a content coding')));
    else if (resumer === undefined) this.#fail(error);
    else if (resumer.course.isDone) this.#end({}, undefined);
    else this.#resume(error, isIdle ? 'idle' : 'broken');
  }

  /** Asks for the rest of what has broken. */
  #resume(error: unknown, reason: ResumeReason): void {
    this.controller.attach(undefined);
    const wait = new AbortController();
    this.#wait = wait;
    const next = this.runInAsyncScope(() =>
      this.#resumer?.next(error, reason, this.#made, wait.signal).then(({ rest, ebb, resumption }) => {
        this.#wait = undefined;
        this.#resumption = resumption;
        this.#sendRest(ebb ? { ...rest, ebb } : rest);
      }),
    );
    next?.catch((why: unknown) => this.#fail(why));
  }

  #sendRest(options: Options): void {
    const attempt = new Attempt(this);
    this.#attempt = attempt;
    try {
      this.#dispatch(options, attempt);
    } catch (error) {
      attempt.onResponseError(undefined, error as Error);
    }
  }

  #fail(error: unknown): void {
    if (this.over) return;
    this.#silence?.stop();
    if (!this.controller.aborted) rememberOf(error as object, this.#made);
    this.passError(error, this.#attempt.connection);
  }

  /** Ends with an error while undici still has the attempt. */
  #giveUp(attempt: Attempt, error: unknown): void {
    try {
      this.#fail(error);
    } finally {
      // Not with the error itself, which has its history already.
      attempt.drop(requestAbortedError('Not the rest'));
    }
  }

  override aborted(reason: Error | undefined): void {
    if (this.over) return;
    if (this.#wait === undefined) {
      this.#attempt.abort(reason);
      return;
    }
    const error = reason ?? requestAbortedError();
    this.#wait.abort(error);
    this.#fail(error);
  }

  upgraded(_: Attempt, head: ResponseHead, socket: Duplex): unknown {
    return this.passUpgrade(head, socket);
  }

  arrived(): void {}
}
