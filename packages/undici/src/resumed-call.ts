import type { Duplex } from 'node:stream';
import { explain, prose, type Resuming, rememberOf } from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import { Attempt } from './attempt.ts';
import { type AttemptListener, uploadEvents } from './attempt-listener.ts';
import { streamOf } from './buffer-stream.ts';
import { Downstream } from './downstream.ts';
import { hideMissingMethods } from './gaps.ts';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import { streamResumer } from './resume-request.ts';
import { ResumedBody } from './resumed-body.ts';

type Options = Dispatcher.DispatchOptions;

/** Marks the context of requests that are resumed already. Known to all copies of this package in a program. */
const RESUMED = Symbol.for('@ebb/undici resumed');

/** A request whose event stream goes on after a break. Its handler sees one request: one controller, and one response. */
export class ResumedCall extends Downstream implements AttemptListener<Attempt> {
  readonly #resuming: Resuming<Options>;
  readonly #dispatch: Dispatcher.Dispatch;
  readonly #options: Options;
  readonly #first: Attempt = new Attempt(this);
  /** The stream that the handler is receiving; `undefined` for other responses. */
  #body: ResumedBody | undefined;
  /** True for an event stream that cannot be read, because it is compressed. */
  #isCoded = false;

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
  }

  /** @throws what the dispatcher throws */
  start(): boolean {
    const attempt = this.#first;
    const { onBodySent, onRequestSent } = this.handler;
    if (onBodySent ?? onRequestSent) Object.assign(attempt, uploadEvents(this));
    attempt.restoreMethods = hideMissingMethods(this.handler, this.#options, attempt);
    return this.#dispatch(this.#options, attempt);
  }

  /** What has the history. */
  get #made(): object {
    return this.#first.context ?? {};
  }

  sent(attempt: Attempt): void {
    this.open({ ...attempt.context, [RESUMED]: true }, attempt.starts > 1);
  }

  informed(attempt: Attempt, head: ResponseHead): void {
    this.inform(attempt, head);
  }

  responded(attempt: Attempt, head: ResponseHead): void {
    // If two interceptors resume the same call, the inner one does it.
    if (!(RESUMED in this.#made)) this.#body = this.#bodyOf(head);
    attempt.forward();
    this.pass(this.#body ? this.#body.connection() : attempt.connection, head);
  }

  #bodyOf(head: ResponseHead): ResumedBody | undefined {
    const options = this.#options;
    const { idleTimeoutMs } = this.#resuming;
    const course = streamOf(head, options.headers, this.#resuming);
    this.#isCoded = course === 'coded';
    if (course === undefined || course === 'coded') return undefined;
    const body: ResumedBody = new ResumedBody(
      {
        downstream: this,
        resumer: streamResumer(course, options, this.#resuming, () => body.attempt),
        made: this.#made,
        idleTimeoutMs,
        send: (rest, attempt) => this.#dispatch(rest, attempt),
      },
      this.#first,
    );
    return body;
  }

  protected note(result: unknown): void {
    rememberOf(result, this.#made);
  }

  data(attempt: Attempt, chunk: Buffer): void {
    if (this.#body) this.#body.data(attempt, chunk);
    else this.passData(chunk);
  }

  ended(attempt: Attempt, trailers: ResponseHeaders, rawTrailers: RawHeaders | undefined): void {
    if (this.#body) {
      this.#body.ended(attempt, trailers, rawTrailers);
      return;
    }
    // A download has been resumed below.
    this.noteAll();
    this.passEnd(trailers, rawTrailers);
  }

  failed(_: Attempt, error: unknown): void {
    this.#fail(error);
  }

  broke(attempt: Attempt, error: unknown): void {
    if (this.#body) this.#body.broke(attempt, error);
    else if (this.#isCoded && !this.controller.aborted && !this.threw)
      this.#fail(explain(error, prose('a content coding')));
    else this.#fail(error);
  }

  #fail(error: unknown): void {
    if (!this.over) this.passError(error, this.#first.connection);
  }

  override aborted(reason: unknown): void {
    if (this.over) return;
    if (this.#body) this.#body.abort(reason);
    else this.#first.abort(reason);
  }

  upgraded(_: Attempt, head: ResponseHead, socket: Duplex): unknown {
    return this.passUpgrade(head, socket);
  }

  arrived(): void {}
}
