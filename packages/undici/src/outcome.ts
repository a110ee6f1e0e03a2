import { stringify } from 'node:querystring';
import type { FailureKind, Outcome, RequestTraits } from '@ebb/core';
import { failureKind, HookError, property, readableBody } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { RequestBody } from './body.ts';
import { type ResponseHead, type ResponseHeaders, requestHeader, responseHeader } from './headers.ts';

/** How an attempt was sent. */
export interface AttemptInfo {
  /** How often undici started it: again for each redirect that an interceptor below follows, and for what undici repeats by itself. */
  readonly starts: number;
  /** True if a start may have been for a redirect: the one before it may have got a response. */
  readonly isRedirected: boolean;
  /** The URLs that redirected, if undici's redirect interceptor is below. */
  readonly hops?: readonly unknown[] | undefined;
}

/** The traits of a request, computed when they are read. */
export class Traits implements RequestTraits {
  readonly #options: Dispatcher.DispatchOptions;
  readonly #body: RequestBody | undefined;
  readonly #ownOrigin: string;

  /**
   * @param ownOrigin the origin if the options have none: undici 7 does not tell an interceptor that of its `Client` or `Pool`
   */
  constructor(
    options: Dispatcher.DispatchOptions,
    body: RequestBody | undefined,
    ownOrigin = 'http://dispatcher.invalid',
  ) {
    this.#options = options;
    this.#body = body;
    this.#ownOrigin = ownOrigin;
  }

  get method(): string {
    return String(this.#options.method).toUpperCase();
  }

  get url(): string {
    const { query, origin } = this.#options;
    const path = String(this.#options.path);
    // A proxy is given whole URLs. Expressions take a quarter of a request's time if a bucket asks for each URL.
    const isWhole = !path.startsWith('/') && /^https?:\/\//.test(path);
    const host = String(origin ?? this.#ownOrigin);
    const url = isWhole ? path : (host.endsWith('/') ? host.slice(0, -1) : host) + path;
    return query ? `${url}?${stringify(query)}` : url;
  }

  get replayable(): boolean {
    return this.#body?.replayable ?? true;
  }

  get body(): unknown {
    return readableBody(this.#options.body);
  }

  header(name: string): string | undefined {
    return requestHeader(this.#options.headers, name);
  }
}

/** The outcome of an attempt with a response; its headers are read lazily. */
export class ResponseOutcome {
  readonly type = 'response';
  readonly status: number;
  // Not for most: an interceptor below that follows redirects starts the attempt again for each hop.
  declare readonly redirected?: boolean;
  declare readonly url?: string | undefined;
  readonly #headers: ResponseHeaders;

  constructor(attempt: AttemptInfo, { status, headers }: Pick<ResponseHead, 'status' | 'headers'>) {
    this.status = status;
    this.#headers = headers;
    if (!attempt.isRedirected) return;
    const url = attempt.hops?.at(-1);
    Object.assign(this, { redirected: true, url: url === undefined ? undefined : String(url) });
  }

  header(name: string): string | undefined {
    return responseHeader(this.#headers, name);
  }
}

/** The outcome of an attempt that failed. */
export function failureOutcome(
  attempt: AttemptInfo,
  error: unknown,
  { origin }: Dispatcher.DispatchOptions,
  kind: FailureKind = failureKindOf(attempt, error),
): Outcome {
  const redirected = !isFirstHop(attempt, error, origin !== undefined && origin !== null);
  return { type: 'failure', kind, error, redirected };
}

/** True if it is certain that no hop of the attempt got a response. */
function isFirstHop(
  { starts, isRedirected, hops }: AttemptInfo,
  error: unknown,
  isOriginKnown: boolean,
): boolean {
  if (isRedirected) return false;
  // undici starts a request only once it has a connection.
  if (starts === 0) return true;
  // The redirect interceptor lists the hops that got a response, if it knows their origin.
  if (hops !== undefined) return hops.length === 0 && isOriginKnown;
  // Such a stream was started, and the target of a redirect that refuses a connection was not.
  const message = property(error, 'message');
  return typeof message === 'string' && /NGHTTP2_REFUSED_STREAM|"GOAWAY"/.test(message);
}

/** The kind of failure of an error before the response. */
function failureKindOf({ starts }: AttemptInfo, error: unknown): FailureKind {
  // Thrown by a body factory: not a failure of the network, whatever its cause looks like.
  if (error instanceof HookError) return 'unknown';
  const kind = failureKind(error);
  // An abort that is not the caller's. Before the start nothing was sent.
  return kind === 'aborted' ? (starts === 0 ? 'connect' : 'unknown') : kind;
}

/**
 * An instance of an error class of undici, made without importing undici: its classes recognise their instances by
 * symbols of the global registry, so `error instanceof errors.HeadersTimeoutError` is true in every copy of undici.
 */
function undiciError(name: string, code: string, message: string): Error {
  return Object.defineProperties(Object.assign(new Error(message), { code }), {
    name: { value: name, configurable: true, writable: true },
    [Symbol.for('undici.error.UND_ERR')]: { value: true },
    [Symbol.for(`undici.error.${code}`)]: { value: true },
  });
}

/** The error of undici if no response headers came in time. */
export function headersTimeoutError(afterMs: number): Error {
  return undiciError('HeadersTimeoutError', 'UND_ERR_HEADERS_TIMEOUT', `No response within ${afterMs} ms`);
}

/** The error of undici for an abort without a reason. */
export function requestAbortedError(message = 'Request aborted'): Error {
  return undiciError('AbortError', 'UND_ERR_ABORTED', message);
}

/** The error of undici for a body that fell silent. */
export function bodyTimeoutError(afterMs: number): Error {
  return undiciError('BodyTimeoutError', 'UND_ERR_BODY_TIMEOUT', `Nothing arrived for ${afterMs} ms`);
}

/** The error of undici for a lost connection, used for a body that ended before it was whole. */
export function cutShortError(): Error {
  return undiciError('SocketError', 'UND_ERR_SOCKET', 'The body ended before it was whole');
}

/** True if the dispatcher was closed or destroyed before it took the request. */
export function isClosedError(error: unknown): boolean {
  const code = property(error, 'code');
  return code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED';
}

const OLD_METHOD = /^invalid on(Connect|Error) method$/;

/** Replaces the error of undici 6 and older for a missing method with an error that names the versions: they take legacy handlers only. */
export function namingOldUndici(error: unknown): unknown {
  const message = property(error, 'message');
  const isOld = typeof message === 'string' && OLD_METHOD.test(message);
  if (!isOld || property(error, 'code') !== 'UND_ERR_INVALID_ARG') return error;
  const text =
    'ebbInterceptor needs a dispatcher of undici 7 or 8, and was composed on one of undici 6 or older';
  return new TypeError(text, { cause: error });
}
