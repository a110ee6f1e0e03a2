import {
  explain,
  prose,
  type Resuming,
  type ResumptionOptions,
  readResuming,
  rememberOf,
} from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import { Attempt } from './attempt.ts';
import { bodyOf } from './body/body-of.ts';
import { Downstream } from './downstream.ts';
import type { Handler } from './handler.ts';
import { type ResponseHead, withRereadableHeaders } from './headers.ts';
import { forHandlers } from './legacy.ts';
import { resumerOf, streamOf } from './resume.ts';
import { ResumedBody } from './resumed-body.ts';
import { Traits } from './traits.ts';

type Options = Dispatcher.DispatchOptions;

/**
 * Options of {@link resuming}. `resumeWith` returns the options of the request for the rest, which goes to the origin of the first
 * unless it names another one.
 */
export type ResumingOptions = ResumptionOptions<Options>;

/** Marks the context of requests that are resumed already. Known to all copies of this package in a program. */
const RESUMED = Symbol.for('@ebb/undici resumed');

/** A request whose event stream goes on after a break. Its handler sees one request: one controller, and one response. */
class ResumedRequest extends Downstream {
  readonly #resuming: Resuming<Options>;
  readonly #dispatch: Dispatcher.Dispatch;
  /** The context of the first attempt. */
  #first: object | null | undefined;
  /** True for an event stream that cannot be read, because it is compressed. */
  #isCoded = false;

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

  override sent({ context, starts }: Attempt): void {
    this.#first = context;
    this.open({ ...context, [RESUMED]: true }, starts > 1);
  }

  responded(attempt: Attempt, head: ResponseHead): void {
    // If two interceptors resume the same call, the inner one does it.
    if (!(RESUMED in this.made)) attempt.listener = this.#bodyOf(head) ?? this;
    attempt.deliver(head);
  }

  #bodyOf(head: ResponseHead): ResumedBody | undefined {
    const { options } = this;
    const resuming = this.#resuming;
    const stream = streamOf(head, options.headers, resuming);
    this.#isCoded = stream === 'coded';
    if (stream === undefined || stream === 'coded') return undefined;
    const traits = new Traits(options, bodyOf(options));
    // Hooks may take it apart.
    const request = Object.assign(traits, { header: traits.header.bind(traits) });
    const resumer = resumerOf(stream, { options, request, resuming }, () => this.attempt);
    return new ResumedBody(this, resumer, this.#dispatch, resuming.idleTimeoutMs);
  }

  protected override note(result: unknown): void {
    rememberOf(result, this.made);
  }

  override arrived(): void {
    // A download has been resumed below.
    this.noteAll();
  }

  override broke(_: Attempt, error: unknown): void {
    const isOwn = this.controller.aborted || this.threw;
    this.passError(this.#isCoded && !isOwn ? explain(error, prose('a content coding')) : error);
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
    options = withRereadableHeaders(given);
  } catch (error) {
    // undici reports invalid options in the same way.
    handler.onResponseError?.(null, error);
    return false;
  }
  return new ResumedRequest(resuming, dispatch, options, handler).start();
}

/**
 * An interceptor for `dispatcher.compose()` whose event streams (200, `text/event-stream`, no content coding) go on after their
 * connection has broken. Compose it above ebb's own, with the same policy: it asks for the rest with a request of its own, and the
 * handler notices nothing but the time. What cannot be resumed without a doubt is not: the handler gets the error of the break, whose
 * `cause` says why.
 *
 * Whole events are passed on, in the same bytes, and an unfinished one is kept back. The same GET is sent again with `Last-Event-ID`,
 * after the `retry` of the stream or the backoff of the policy. Downloads are resumed by `ebbInterceptor` itself.
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
