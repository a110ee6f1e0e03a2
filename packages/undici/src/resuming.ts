import type { PolicyOptions } from '@ebb/core';
import {
  explain,
  property,
  prose,
  type ResumeReason,
  Resumer,
  type Resuming,
  type Resumption,
  type ResumptionOptions,
  readResuming,
  rememberOf,
  rememberResumption,
} from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import { Attempt } from './attempt.ts';
import { bodyOf } from './body.ts';
import { Downstream } from './downstream.ts';
import type { Handler, Pausable } from './handler.ts';
import { forHandlers } from './handler.ts';
import {
  changedHeaders,
  type RawHeaders,
  type ResponseHead,
  type ResponseHeaders,
  readerOf,
  withHeaderRecord,
} from './headers.ts';
import { bodyTimeoutError, cutShortError, requestAbortedError, Traits } from './outcome.ts';
import { resumableOf, type Silence, watchSilence, whyUnsafe } from './resume.ts';

type Options = Dispatcher.DispatchOptions;

/**
 * Options of {@link resuming}. `resumeWith` returns the options of the request for the rest, which goes to the origin of the first
 * unless it names another one.
 */
export type ResumingOptions = ResumptionOptions<Options>;

/** Marks the context of requests that are resumed already. Known to all copies of this package in a program. */
const RESUMED = Symbol.for('@ebb/undici resumed');

/**
 * A request whose body goes on, after a break, with that of a request for the rest. Its handler sees one request: one controller, and
 * one response.
 */
class ResumedRequest extends Downstream {
  readonly #resuming: Resuming<Options>;
  readonly #dispatch: Dispatcher.Dispatch;
  /** The context of the first attempt. */
  #first: object | null | undefined;
  /** `undefined` for a body that is passed on as it is. */
  #resumer: Resumer<Options, Options> | undefined;
  /** The last one; `undefined` before the first. */
  #resumption: Resumption | undefined;
  #silence: Silence | undefined;
  /** Ends the wait before a request for the rest. */
  #wait: AbortController | undefined;
  /** True once the handler has thrown, which ends the request. */
  #threw = false;

  constructor(
    resuming: Resuming<Options>,
    dispatch: Dispatcher.Dispatch,
    options: Options,
    handler: Handler,
  ) {
    super(options, handler);
    this.#resuming = resuming;
    this.#dispatch = dispatch;
  }

  /** @throws what the dispatcher throws */
  start(): boolean {
    const attempt = new Attempt(this);
    this.begins(attempt);
    return this.#dispatch(this.options, attempt);
  }

  /** The context of the first attempt has the history. */
  override get made(): object {
    return this.#first ?? {};
  }

  protected override note(result: unknown): void {
    rememberOf(result, this.made);
  }

  override sent({ context, starts }: Attempt): void {
    if (this.#resumption !== undefined) return;
    this.#first = context;
    this.open({ ...context, [RESUMED]: true }, starts > 1);
  }

  override informed(head: ResponseHead): void {
    if (this.#resumption === undefined) super.informed(head);
  }

  responded(attempt: Attempt, head: ResponseHead): void {
    const resumption = this.#resumption;
    if (resumption === undefined) {
      // If two interceptors resume the same call, the inner one does it.
      if (!(RESUMED in this.made)) this.#resumer = this.#resumerOf(head);
    } else {
      this.#noteRest(resumption, attempt.context);
      try {
        this.#resumer?.began(head.status, readerOf(head.headers), resumption.error);
      } catch (why) {
        this.#giveUp(why);
        return;
      }
    }
    attempt.deliver(head);
  }

  #resumerOf(head: ResponseHead): Resumer<Options, Options> | undefined {
    const { options } = this;
    const { headers, origin, ebb } = options;
    const course = resumableOf(options, head, this.#resuming);
    if (course === undefined) return undefined;
    const traits = new Traits(options, bodyOf(options));
    return new Resumer<Options, Options>(course, this.#resuming, {
      // Hooks may take it apart.
      request: Object.assign(traits, { header: traits.header.bind(traits) }),
      ebb: (ebb || undefined) as PolicyOptions | undefined,
      whyUnsafe: () => whyUnsafe(this.attempt, headers),
      // Not what the first request has besides: its body, or headers that tell its length.
      with: (given) => ({ ...given, origin: given.origin ?? origin }) as Options,
      again: () => ({ ...options, headers: changedHeaders(headers, course.headers) }) as Options,
    });
  }

  /** @param result what the request for the rest ended with */
  #noteRest(resumption: Resumption, result: unknown): void {
    rememberResumption(this.made, result, resumption);
    this.noteAll();
  }

  override head(connection: Pausable | null | undefined, head: ResponseHead): void {
    const { attempt } = this;
    const { idleTimeoutMs: idleMs, policy } = this.#resuming;
    if (idleMs !== undefined && this.#resumer !== undefined) {
      const fell = (): void => attempt?.abort(bodyTimeoutError(idleMs));
      this.#silence = watchSilence(connection, policy.clock, idleMs, fell);
    }
    if (this.#resumption === undefined) this.#pass(() => super.head(this.#silence ?? connection, head));
    else this.controller.attach(this.#silence ?? connection);
  }

  override data(chunk: Uint8Array): void {
    const resumer = this.#resumer;
    if (resumer === undefined) {
      super.data(chunk);
      return;
    }
    this.#silence?.heard();
    let parts: readonly Uint8Array[];
    try {
      parts = this.runInAsyncScope(() => resumer.take(chunk, cutShortError));
    } catch (hookError) {
      this.#giveUp(hookError);
      return;
    }
    for (const part of parts) this.#pass(() => super.data(part));
  }

  override ended(trailers: ResponseHeaders, rawTrailers: RawHeaders): void {
    const resumer = this.#resumer;
    this.#silence?.stop();
    if (resumer === undefined) {
      super.ended(trailers, rawTrailers);
      return;
    }
    const error = cutShortError();
    let hasEnded: boolean;
    try {
      hasEnded = this.runInAsyncScope(() => resumer.ended(error));
    } catch (why) {
      this.#fail(why);
      return;
    }
    if (hasEnded) this.#end(resumer, trailers, rawTrailers);
    else this.#resume(resumer, error, 'ended');
  }

  #end({ course }: Resumer<Options, Options>, trailers: ResponseHeaders, rawTrailers: RawHeaders): void {
    this.#pass(() => {
      for (const part of course.left()) super.data(part);
      super.ended(trailers, rawTrailers);
    });
  }

  override failed(_: Attempt, error: unknown): void {
    const resumption = this.#resumption;
    this.#wait?.abort(error);
    if (resumption === undefined || this.controller.aborted) this.passError(error);
    else {
      this.#noteRest(resumption, error);
      this.#fail(explain(resumption.error, prose('its request failed'), error));
    }
  }

  override broke(error: unknown): void {
    const resumer = this.#resumer;
    this.#silence?.stop();
    // The `bodyTimeout` of undici ends an idle body as well.
    const isIdle = property(error, 'code') === 'UND_ERR_BODY_TIMEOUT';
    if (resumer === undefined) this.passError(error);
    else if (this.controller.aborted || this.#threw) this.#fail(error);
    else if (resumer.course.isDone) this.#end(resumer, {}, null);
    else this.#resume(resumer, error, isIdle ? 'idle' : 'broken');
  }

  /** Asks for the rest of what has broken. */
  #resume(resumer: Resumer<Options, Options>, error: unknown, reason: ResumeReason): void {
    const { controller } = this;
    controller.attach(undefined);
    const wait = new AbortController();
    this.#wait = wait;
    const asked = this.runInAsyncScope(() => resumer.next(error, reason, this.made, wait.signal));
    // Not before: whether there is a request for the rest depends on where the last attempt has ended.
    const attempt = new Attempt(this);
    this.attempt = attempt;
    // An observer may have aborted.
    if (controller.aborted) attempt.abort(controller.reason);
    this.runInAsyncScope(() =>
      asked.then(
        ({ rest, ebb, resumption }) => {
          this.#resumption = resumption;
          try {
            this.#dispatch(ebb ? { ...rest, ebb } : rest, attempt);
          } catch (thrown) {
            attempt.onResponseError(undefined, thrown);
          }
        },
        (why: unknown) => this.#fail(why),
      ),
    );
  }

  /** Calls the handler. @throws what it throws */
  #pass(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#threw = true;
      throw error;
    }
  }

  #fail(error: unknown): void {
    if (this.over) return;
    this.#silence?.stop();
    if (!this.controller.aborted) rememberOf(error, this.made);
    this.passError(error);
  }

  /** Ends with an error while undici still has the attempt. */
  #giveUp(error: unknown): void {
    try {
      this.#fail(error);
    } finally {
      // Not with the error itself, which has its history already.
      this.attempt?.drop(requestAbortedError('Not the rest'));
    }
  }
}

function start(
  resuming: Resuming<Options>,
  dispatch: Dispatcher.Dispatch,
  given: Options,
  handler: Handler,
): boolean {
  // Their responses have no body that this can read.
  if (given.ebb === false || given.upgrade || given.method === 'CONNECT')
    return dispatch(given, handler as Dispatcher.DispatchHandler);
  let options: Options;
  try {
    options = withHeaderRecord(given);
  } catch (error) {
    // undici reports invalid options in the same way.
    handler.onResponseError?.(null, error);
    return false;
  }
  return new ResumedRequest(resuming, dispatch, options, handler).start();
}

/**
 * An interceptor for `dispatcher.compose()` whose event streams and downloads go on after their connection has broken. Compose it above
 * ebb's own, with the same policy: it asks for the rest with a request of its own, and the handler notices nothing but the time. What
 * cannot be resumed without a doubt is not: the handler gets the error of the break, whose `cause` says why.
 *
 * - Event streams (200, `text/event-stream`, no content coding): whole events are passed on, in the same bytes, and an unfinished one is
 *   kept back. The same GET is sent again with `Last-Event-ID`, after the `retry` of the stream or the backoff of the policy.
 * - Downloads: a GET whose 200 or 206 has a length and a strong ETag. `Range` and `If-Match` ask for the rest.
 *
 * @throws TypeError, RangeError if an option is invalid
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { ebbInterceptor } from '@ebb/undici';
 * import { resuming } from '@ebb/undici/resuming';
 * import { Agent } from 'undici';
 *
 * const policy = createPolicy({ maxRetries: 3 });
 * const dispatcher = new Agent().compose(ebbInterceptor(policy), resuming({ policy, idleTimeoutMs: 60_000 }));
 * ```
 */
export function resuming(options: ResumingOptions = {}): Dispatcher.DispatcherComposeInterceptor {
  const read = readResuming(options);
  return function resumingAbove(dispatch) {
    return forHandlers(dispatch, (given, handler) => start(read, dispatch, given, handler));
  };
}
