import type { Policy } from '@ebb/core';
import { callHook, onAbort, overridePolicy, type Resumable, sleep } from '@ebb/core/adapter';
import {
  EventStream,
  explain,
  prose,
  type ResumeReason,
  rememberOf,
  rememberResumption,
  reportResumption,
} from '@ebb/core/resuming';
import { idleRead } from './idle-read.ts';
import { type Asked, isCoded, readerOf, requestForRest, whyUnsafe } from './resume-request.ts';

type Controller = ReadableByteStreamController | ReadableStreamDefaultController;

/**
 * The body of a response, which goes on with the bodies of others after it has broken. Nothing is read before it is asked for.
 *
 * @param made returns the response that the caller has
 */
export function resumedBody(
  asked: Asked,
  response: Response,
  course: Resumable,
  made: () => Response,
): ReadableStream<Uint8Array> {
  const body = new ResumedBody(asked, response, course, made);
  const source = {
    pull: (controller: unknown) => body.pull(controller as Controller),
    cancel: (reason: unknown) => body.cancel(reason),
  };
  try {
    return new ReadableStream({ ...source, type: 'bytes' } as UnderlyingByteSource);
  } catch {
    // Safari before 26 has no byte streams.
    return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  }
}

class ResumedBody {
  readonly #asked: Asked;
  readonly #course: Resumable;
  readonly #made: () => Response;
  /** The response whose body is being read. */
  #response: Response;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #passedBytes = 0;
  /** Resumptions in a row that brought nothing. */
  #vain = 0;
  #previousDelayMs: number | undefined;
  #isIdle = false;
  /** Ends waits and requests of resumptions; made with the first. */
  #end: AbortController | undefined;
  #forget: (() => void) | undefined;
  #isCancelled = false;
  /** True once the server has said that there is no more. */
  #isOver = false;

  constructor(asked: Asked, response: Response, course: Resumable, made: () => Response) {
    this.#asked = asked;
    this.#response = response;
    this.#course = course;
    this.#made = made;
  }

  /** The caller's own. */
  get #signal(): AbortSignal | undefined {
    const { init, input } = this.#asked;
    return init?.signal ?? (input as Partial<Request>).signal ?? undefined;
  }

  async pull(controller: Controller): Promise<void> {
    try {
      while (!(await this.#pass(controller)));
    } catch (error) {
      void this.#free(error);
      if (this.#isCancelled) return;
      rememberOf(error as object, this.#made());
      throw error;
    }
  }

  /** Returns true once something was passed on. */
  async #pass(controller: Controller): Promise<boolean> {
    const course = this.#course;
    let part: Uint8Array | undefined;
    try {
      part = await this.#read();
    } catch (error) {
      if (this.#signal?.aborted) throw this.#signal.reason;
      if (course.isDone) this.#close(controller);
      else await this.#resume(error, this.#isIdle ? 'idle' : 'broken');
      return course.isDone;
    }
    if (this.#isCancelled) return true;
    if (this.#signal?.aborted) throw this.#signal.reason;
    if (part === undefined) return this.#ended(controller);
    const parts = course.take(part);
    if (parts === undefined) throw explain(new TypeError('terminated'), prose('more than its range'));
    return this.#give(controller, parts);
  }

  /** After a response that ended without an error. Returns true if the body has ended as well. */
  async #ended(controller: Controller): Promise<boolean> {
    const { isDone, mayEnd } = this.#course;
    const isOver = this.#isOver || this.#stream === undefined || !this.#asked.options.resumeAtEnd;
    if (isDone || (mayEnd && (isOver || typeof this.#rest() === 'string'))) {
      this.#close(controller);
      return true;
    }
    const error = new TypeError('terminated');
    if (this.#isOver) throw explain(error, prose('a 204'));
    await this.#resume(error, 'ended');
    return false;
  }

  get #stream(): EventStream | undefined {
    return this.#course instanceof EventStream ? this.#course : undefined;
  }

  #give(controller: Controller, parts: readonly Uint8Array[]): boolean {
    const before = this.#passedBytes;
    for (const part of parts) {
      const { byteLength } = part;
      if (byteLength === 0) continue;
      this.#passedBytes += byteLength;
      controller.enqueue(part as Uint8Array<ArrayBuffer>);
    }
    if (this.#passedBytes === before) return false;
    this.#vain = 0;
    return true;
  }

  #close(controller: Controller): void {
    this.#give(controller, this.#course.left());
    this.#forget?.();
    controller.close();
    (controller as ReadableByteStreamController).byobRequest?.respond(0);
  }

  /** The next part; `undefined` at the end. */
  #read(): Promise<Uint8Array | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    this.#reader ??= (this.#response.body as ReadableStream<Uint8Array>).getReader();
    const { idleTimeoutMs, policy } = this.#asked.options;
    return idleRead(this.#reader, policy.clock, idleTimeoutMs, () => {
      this.#isIdle = true;
    });
  }

  /** Asks for the rest of what has broken. @throws the error that broke it, or the reason of the signal */
  async #resume(error: unknown, reason: ResumeReason): Promise<void> {
    const { options, init, request, fetch } = this.#asked;
    const course = this.#course;
    const policy = init?.ebb ? overridePolicy(options.policy, init.ebb) : options.policy;
    this.#isIdle = false;
    const isVain = this.#vain >= options.maxResumes;
    const rest = isVain ? (prose(`${this.#vain} resumptions in a row`) ?? '') : this.#rest();
    if (typeof rest === 'string') throw explain(error, rest);
    const delayMs = this.#delayMs(policy);
    if (delayMs === undefined) throw explain(error, prose('too long a wait'));
    const resumption = { reason, error, passedBytes: this.#passedBytes, delayMs };
    const made = this.#made();
    reportResumption(policy, request, made, resumption);
    const signal = this.#endSignal();
    await sleep(policy.clock, delayMs, signal);
    const [input, changes] = rest;
    const { totalTimeoutMs } = policy;
    const ebb = totalTimeoutMs ? { ...init?.ebb, totalTimeoutMs: totalTimeoutMs - delayMs } : init?.ebb;
    let response: Response;
    try {
      response = await fetch(input, { ...changes, signal, ...(ebb && { ebb }) });
    } catch (failure) {
      rememberResumption(made, failure, resumption);
      if (signal.aborted) throw signal.reason;
      throw explain(error, prose('its request failed'), failure);
    }
    rememberResumption(made, response, resumption);
    this.#reader = undefined;
    this.#response = response;
    if (signal.aborted) throw signal.reason;
    this.#isOver = response.status === 204 && this.#stream !== undefined;
    const wrong = this.#isOver ? undefined : this.#whyNotRest(response);
    if (wrong !== undefined) throw explain(error, wrong);
    course.begin();
  }

  /** The arguments of the request for the rest, or why there is none. */
  #rest(): ReturnType<typeof requestForRest> {
    return requestForRest(this.#asked, this.#course, this.#response);
  }

  #whyNotRest(response: Response): string | undefined {
    const header = readerOf(response);
    const isDecoded = this.#stream === undefined && isCoded(header);
    const why = isDecoded
      ? (prose('another content coding') ?? '')
      : this.#course.mismatch(response.status, header);
    return why ?? whyUnsafe(this.#asked, response);
  }

  /** In milliseconds; `undefined` gives up. @throws HookError if the backoff throws */
  #delayMs({
    backoff,
    random,
    maxRetryAfterMs,
    totalTimeoutMs = Number.POSITIVE_INFINITY,
  }: Policy): number | undefined {
    this.#vain += 1;
    const step = { retry: this.#vain, previousDelayMs: this.#previousDelayMs, random };
    const askedMs = this.#stream?.retryMs;
    const delayMs = askedMs ?? callHook('backoff', () => backoff(step));
    this.#previousDelayMs = delayMs;
    const isTooLong = (askedMs ?? 0) > maxRetryAfterMs || (delayMs ?? 0) >= totalTimeoutMs;
    return isTooLong ? undefined : delayMs;
  }

  /** Aborts with the caller's signal, and when the body is cancelled. */
  #endSignal(): AbortSignal {
    if (this.#end === undefined) {
      const end = new AbortController();
      const signal = this.#signal;
      this.#end = end;
      this.#forget = signal && onAbort(signal, () => end.abort(signal.reason));
    }
    return this.#end.signal;
  }

  async cancel(reason: unknown): Promise<void> {
    this.#isCancelled = true;
    this.#end?.abort(reason);
    await this.#free(reason);
  }

  /** Ends what is being read. Never rejects: what has broken cannot be cancelled. */
  async #free(reason: unknown): Promise<void> {
    this.#forget?.();
    await (this.#reader ?? this.#response.body)?.cancel(reason).catch(() => undefined);
  }
}
