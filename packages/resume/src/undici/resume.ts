import type { PolicyOptions } from '@ebb/core';
import { nextTurn, type ReadHeader } from '@ebb/core/adapter';
import { devText, property, type ResumeReason } from '@ebb/core/internal';
import type {} from '@ebb/undici';
import {
  Attempt,
  type AttemptInfo,
  bodyOf,
  bodyTimeoutError,
  changedHeaders,
  cutShortError,
  type DataSource,
  Downstream,
  type Handler,
  type RawHeaders,
  type RequestHeaders,
  type ResponseHead,
  type ResponseHeaders,
  readerOf,
  requestAbortedError,
  requestHeader,
  Traits,
} from '@ebb/undici/internal';
import type { Dispatcher } from 'undici';
import { Download, type ResumeFormat } from '../download.ts';
import { type EventHooks, EventStream, isCoded, isEventStream } from '../event-stream.ts';
import type { ReadResumeOptions } from '../options.ts';
import {
  copyHistory,
  haveCredentials,
  Resumer,
  type Resumption,
  setHistoryOfResumption,
} from '../resumer.ts';

type Options = Dispatcher.DispatchOptions;

/** Marks the context of requests that are resumed already. Known to all copies of this package in a program. */
const RESUMED = Symbol.for('@ebb/undici resumed');

/**
 * A request whose body goes on, after a break, with that of a request for the rest. Its handler sees one request: one controller, and
 * one response.
 */
export class ResumedRequest extends Downstream {
  readonly #resuming: ReadResumeOptions<Options>;
  readonly #dispatch: Dispatcher.Dispatch;
  /** The context of the first attempt. */
  #first: object | null | undefined;
  /** `undefined` for a body that is passed on as it is. */
  #resumer: Resumer<Options, Options> | undefined;
  /** The last resumption; `undefined` before the first. */
  #resumption: Resumption | undefined;
  /** When the connection last brought something, in milliseconds, if its silence is watched. */
  #heardAtMs: number | undefined;
  #stopWatching: (() => void) | undefined;
  /**
   * Resolves in the turn after the one in which the handler got the headers; `undefined` from then on. `fetch` creates its body in promises
   * after the headers: an error in the same turn would find no body to fail, and a read of the body would wait for ever.
   */
  #turnOfHead: Promise<void> | undefined;
  /** Ends the wait before a request for the rest. */
  #wait: AbortController | undefined;
  /** True once the handler has thrown, which ends the request. */
  #threw = false;

  constructor(
    resuming: ReadResumeOptions<Options>,
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
    copyHistory(result, this.made);
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
        const header = readerOf(head.headers);
        this.runInAsyncScope(() => this.#resumer?.began(head.status, header, resumption.error));
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
    const format = formatOf(options, head, this.#resuming);
    if (format === undefined) return undefined;
    const traits = new Traits(options, bodyOf(options));
    return new Resumer<Options, Options>(format, this.#resuming, {
      // Hooks may take it apart.
      request: Object.assign(traits, { header: traits.header.bind(traits) }),
      ebb: (ebb || undefined) as PolicyOptions | undefined,
      whyUnsafe: () => whyUnsafe(this.attempt, headers),
      // Not what the first request has besides: its body, or headers that tell its length.
      with: (given) => ({ ...given, origin: given.origin ?? origin }) as Options,
      again: () => ({ ...options, headers: changedHeaders(headers, format.headers) }) as Options,
    });
  }

  /** @param result what the request for the rest ended with */
  #noteRest(resumption: Resumption, result: unknown): void {
    setHistoryOfResumption(this.made, result, resumption);
    this.noteAll();
  }

  override head(connection: DataSource | null | undefined, head: ResponseHead): void {
    const { idleTimeoutMs } = this.#resuming;
    const watched =
      idleTimeoutMs === undefined || this.#resumer === undefined
        ? connection
        : this.#watchSilence(connection, idleTimeoutMs);
    if (this.#resumption !== undefined) {
      this.controller.attach(watched);
      return;
    }
    if (this.#resumer !== undefined) {
      this.#turnOfHead = nextTurn().then(() => {
        this.#turnOfHead = undefined;
      });
    }
    this.#pass(() => super.head(watched, head));
  }

  /** The attempt breaks when its connection brings nothing for too long. The time in which the handler has paused it does not count. */
  #watchSilence(connection: DataSource | null | undefined, idleMs: number): DataSource {
    const { clock } = this.#resuming.policy;
    const { attempt, controller } = this;
    this.#heardAtMs = clock.now();
    // Not a timer for each chunk: one that looks when the last came.
    const watch = (waitMs: number): void => {
      this.#stopWatching = clock.schedule(() => {
        const leftMs = controller.paused ? idleMs : (this.#heardAtMs ?? 0) + idleMs - clock.now();
        if (leftMs > 0) watch(leftMs);
        else attempt?.abort(bodyTimeoutError(idleMs));
      }, waitMs);
    };
    watch(idleMs);
    return {
      pause: () => connection?.pause(),
      resume: () => {
        this.#heardAtMs = clock.now();
        connection?.resume();
      },
    };
  }

  override data(chunk: Uint8Array): void {
    const resumer = this.#resumer;
    if (resumer === undefined) {
      super.data(chunk);
      return;
    }
    if (this.#heardAtMs !== undefined) this.#heardAtMs = this.#resuming.policy.clock.now();
    let parts: readonly Uint8Array[];
    try {
      parts = this.runInAsyncScope(() => resumer.take(chunk, cutShortError));
    } catch (hookError) {
      this.#giveUp(hookError);
      return;
    }
    for (const part of parts) this.#pass(() => super.data(bufferOf(part)));
  }

  override ended(trailers: ResponseHeaders, rawTrailers: RawHeaders): void {
    const resumer = this.#resumer;
    this.#stopWatching?.();
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

  #end({ format }: Resumer<Options, Options>, trailers: ResponseHeaders, rawTrailers: RawHeaders): void {
    this.#pass(() => {
      for (const part of format.left()) super.data(bufferOf(part));
      super.ended(trailers, rawTrailers);
    });
  }

  override failed(_: Attempt, error: unknown): void {
    const resumption = this.#resumption;
    this.#wait?.abort(error);
    if (resumption === undefined || this.controller.aborted) this.passError(error);
    else {
      this.#noteRest(resumption, error);
      const why = devText('its request failed');
      this.#fail(this.runInAsyncScope(() => this.#resumer?.refuse(resumption.error, why, error)));
    }
  }

  override broke(error: unknown): void {
    const resumer = this.#resumer;
    this.#stopWatching?.();
    // The `bodyTimeout` of undici ends an idle body as well.
    const isIdle = property(error, 'code') === 'UND_ERR_BODY_TIMEOUT';
    if (resumer === undefined) this.passError(error);
    else if (this.controller.aborted || this.#threw) this.#fail(error);
    else if (resumer.format.isDone) this.#end(resumer, {}, null);
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

  /** Ends with an error, and with the reason of the handler if that aborts before it gets the error. */
  #fail(error: unknown): void {
    const { controller } = this;
    if (this.over) return;
    this.#stopWatching?.();
    if (!controller.aborted) copyHistory(error, this.made);
    const end = (): void =>
      this.passError(controller.aborted ? (controller.reason ?? requestAbortedError()) : error);
    if (this.#turnOfHead && !controller.aborted && !this.#threw) void this.#turnOfHead.then(end);
    else this.passError(error);
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

/** How a body can be resumed, or why it cannot; `undefined` for a response that is neither an event stream nor a download. */
function formatOf(
  { method, headers: sent }: Dispatcher.DispatchOptions,
  { status, headers }: ResponseHead,
  hooks: EventHooks,
): ResumeFormat | undefined {
  const header = readerOf(headers);
  if (isEventStream(status, header)) {
    // It cannot be read. It is passed on as it comes, and its break says why.
    if (isCoded(header)) return new Download(status, header, devText('a content coding') ?? '');
    return new PlainStream(requestHeader(sent, 'last-event-id'), hooks);
  }
  if (headers.etag === undefined || (status !== 200 && status !== 206)) return undefined;
  return String(method).toUpperCase() === 'GET' ? new Download(status, header) : undefined;
}

/** Decoded by no one: a stream that goes on in a content coding cannot be read. */
class PlainStream extends EventStream {
  override mismatch(status: number, header: ReadHeader): string | undefined {
    return isCoded(header) ? (devText('another content coding') ?? '') : super.mismatch(status, header);
  }
}

/** Handlers expect Buffers. */
function bufferOf(part: Uint8Array): Buffer {
  return part instanceof Buffer ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength);
}

/**
 * Says so if a request with credentials has ended at another origin than its own, by an interceptor below. It is not known what that
 * origin was sent.
 */
function whyUnsafe(attempt: AttemptInfo | undefined, headers: RequestHeaders): string | undefined {
  const { starts = 0, isRedirected, hops = [] } = attempt ?? {};
  const [first, last] = [hops[0], hops.at(-1)].map((hop) => URL.parse(String(hop))?.origin);
  if (!isRedirected || (hops.length >= starts && first === last)) return undefined;
  return haveCredentials(Object.keys(headers ?? {}))
    ? (devText('a redirect of credentials to another origin') ?? '')
    : undefined;
}
