import type { Clock } from '@ebb/core';
import { onAbort, property, type ReadHeader, responseHeader, withinBounds } from '@ebb/core/adapter';
import { devText, type ResumeReason } from '@ebb/core/internal';
import type { EbbFetch, EbbRequestInit, FetchInput } from '@ebb/fetch';
import { changedHeaders, isRequest, withChanges } from '@ebb/fetch/internal';
import type { ResumeFormat } from '../download.ts';
import type { ReadResumeOptions } from '../options.ts';
import {
  copyHistory,
  haveCredentials,
  type RestRequest,
  Resumer,
  type ResumeSource,
  setHistoryOfResumption,
} from '../resumer.ts';

/** The arguments of a fetch. */
type Call = readonly [FetchInput, EbbRequestInit];

/** A request that may be resumed. */
export interface ResumableRequest extends Pick<ResumeSource<Call, Request>, 'request'> {
  readonly fetch: EbbFetch;
  readonly input: FetchInput;
  readonly init: EbbRequestInit | undefined;
  readonly options: ReadResumeOptions<Request>;
}

export function readerOf({ headers }: Response): ReadHeader {
  return (name) => responseHeader(headers, name);
}

function headersOf(input: FetchInput, init: EbbRequestInit | undefined): Headers {
  return new Headers(init?.headers ?? (isRequest(input) ? input.headers : undefined));
}

/**
 * Says so if a request with credentials has ended at another origin than its own. It is not known what that origin was sent, and it
 * would be sent more.
 */
function whyUnsafe(
  { input, init, request }: ResumableRequest,
  { redirected, url }: Response,
): string | undefined {
  if (!redirected || URL.parse(url)?.origin === URL.parse(request.url)?.origin) return undefined;
  const credentials = init?.credentials ?? property(input, 'credentials');
  const hasCredentials = credentials === 'include' || haveCredentials([...headersOf(input, init).keys()]);
  return hasCredentials ? (devText('a redirect of credentials to another origin') ?? '') : undefined;
}

/** The same request, with the headers for the rest, and without its own `ebb` options. */
function requestAgain({ input, init }: ResumableRequest, { headers }: ResumeFormat): Call {
  return withChanges(input, init, { headers: changedHeaders(headersOf(input, init), headers) });
}

/**
 * The next part of a body; `undefined` at its end. Rejects after a silence of `idleMs` milliseconds, and closes the connection.
 *
 * @param timedOut called after such a silence
 */
function idleRead(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  clock: Clock,
  idleMs: number | undefined,
  timedOut: () => void,
): Promise<Uint8Array | undefined> {
  const reading = reader.read().then(({ value }) => value);
  if (idleMs === undefined) return reading;
  const late = (): unknown => {
    timedOut();
    const error = new DOMException(`nothing arrived for ${idleMs} ms`, 'TimeoutError');
    reader.cancel(error).catch(() => undefined);
    return error;
  };
  return withinBounds(reading, { clock, signal: undefined, leftMs: idleMs, late });
}

type Controller = ReadableByteStreamController | ReadableStreamDefaultController;

const terminated = (): TypeError => new TypeError('terminated');

/**
 * The body of a response, which goes on with the bodies of others after it has broken. Nothing is read before it is asked for.
 *
 * @param made returns the response that the caller has
 */
export function resumedBody(
  asked: ResumableRequest,
  response: Response,
  format: ResumeFormat,
  made: () => Response,
): ReadableStream<Uint8Array> {
  const body = new ResumedBody(asked, response, format, made);
  const source = {
    pull: (controller: Controller) => body.pull(controller),
    cancel: (reason: unknown) => body.cancel(reason),
  };
  try {
    return new ReadableStream({ ...source, type: 'bytes' });
  } catch {
    // Safari before 26 has no byte streams.
    return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  }
}

class ResumedBody {
  readonly #asked: ResumableRequest;
  readonly #resumer: Resumer<Call, Request>;
  readonly #made: () => Response;
  /** The response whose body is being read. */
  #response: Response;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isIdle = false;
  /** Ends waits and requests of resumptions; made with the first. */
  #end: AbortController | undefined;
  #forget: (() => void) | undefined;
  #isCancelled = false;

  constructor(asked: ResumableRequest, response: Response, format: ResumeFormat, made: () => Response) {
    this.#asked = asked;
    this.#response = response;
    this.#made = made;
    const { request, init, options } = asked;
    this.#resumer = new Resumer<Call, Request>(format, options, {
      request,
      ebb: init?.ebb || undefined,
      whyUnsafe: () => whyUnsafe(asked, this.#response),
      with: (given) => [given, {}],
      again: () => requestAgain(asked, format),
    });
  }

  /** The caller's own. */
  get #signal(): AbortSignal | undefined {
    const { init, input } = this.#asked;
    const signal = init?.signal === undefined && isRequest(input) ? input.signal : init?.signal;
    return signal ?? undefined;
  }

  async pull(controller: Controller): Promise<void> {
    try {
      while (!(await this.#pass(controller)));
    } catch (error) {
      void this.#free(error);
      if (this.#isCancelled) return;
      copyHistory(error, this.#made());
      throw error;
    }
  }

  /** Returns true once something was passed on. */
  async #pass(controller: Controller): Promise<boolean> {
    const resumer = this.#resumer;
    const { format } = resumer;
    let part: Uint8Array | undefined;
    try {
      part = await this.#read();
    } catch (error) {
      if (this.#signal?.aborted) throw this.#signal.reason;
      if (format.isDone) this.#close(controller);
      else await this.#resume(error, this.#isIdle ? 'idle' : 'broken');
      return format.isDone;
    }
    if (this.#isCancelled) return true;
    if (this.#signal?.aborted) throw this.#signal.reason;
    if (part !== undefined) return this.#give(controller, resumer.take(part, terminated));
    const error = terminated();
    const hasEnded = resumer.ended(error);
    if (hasEnded) this.#close(controller);
    else await this.#resume(error, 'ended');
    return hasEnded;
  }

  #give(controller: Controller, parts: readonly Uint8Array[]): boolean {
    for (const part of parts) controller.enqueue(part as Uint8Array<ArrayBuffer>);
    return parts.length > 0;
  }

  #close(controller: Controller): void {
    this.#give(controller, this.#resumer.format.left());
    this.#forget?.();
    controller.close();
    if ('byobRequest' in controller) controller.byobRequest?.respond(0);
  }

  /** The next part; `undefined` at the end. */
  #read(): Promise<Uint8Array | undefined> {
    if (this.#resumer.isOver) return Promise.resolve(undefined);
    this.#reader ??= (this.#response.body as ReadableStream<Uint8Array>).getReader();
    const { idleTimeoutMs, policy } = this.#asked.options;
    return idleRead(this.#reader, policy.clock, idleTimeoutMs, () => {
      this.#isIdle = true;
    });
  }

  /** Asks for the rest of what has broken. @throws the error that broke it, or the reason of the signal */
  async #resume(error: unknown, reason: ResumeReason): Promise<void> {
    this.#isIdle = false;
    const signal = this.#endSignal();
    const rest = await this.#resumer.next(error, reason, this.#made(), signal);
    const response = await this.#send(rest, signal);
    this.#reader = undefined;
    this.#response = response;
    if (signal.aborted) throw signal.reason;
    this.#resumer.began(response.status, readerOf(response), error);
  }

  async #send({ rest, ebb, resumption }: RestRequest<Call>, signal: AbortSignal): Promise<Response> {
    const made = this.#made();
    const [input, init] = rest;
    try {
      const response = await this.#asked.fetch(input, { ...init, signal, ...(ebb && { ebb }) });
      setHistoryOfResumption(made, response, resumption);
      return response;
    } catch (failure) {
      setHistoryOfResumption(made, failure, resumption);
      if (signal.aborted) throw signal.reason;
      throw this.#resumer.refuse(resumption.error, devText('its request failed'), failure);
    }
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
