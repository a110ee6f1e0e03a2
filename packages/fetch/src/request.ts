import type { HeaderChanges, Policy, RequestTraits } from '@ebb/core';
import { isIdempotent, LAYER, readableBody } from '@ebb/core/adapter';
import { hasAsyncContext, sharesResponses, unshared } from '#platform';
import { absoluteUrl } from './absolute-url.ts';
import { cancelUpload } from './body/kinds.ts';
import { Upload } from './body/upload.ts';
import { type InitChanges, isPlainInit, isRequest, withChanges } from './changes.ts';
import { headerIn, rereadableHeaders } from './headers.ts';
import type { EbbRequestInit, FetchInput } from './init.ts';

/**
 * True if the arguments of a call can be passed on as they are, and again for a retry: no body that can be used up, nothing that may
 * end the call early, nothing for ebb, and a method for which the first hop does not matter.
 */
export function isSimple(input: FetchInput, init: EbbRequestInit | undefined): boolean {
  if (typeof input !== 'string' && !(input instanceof URL)) return false;
  if (init === undefined) return true;
  if (typeof init !== 'object' || init === null) return false;
  const { method, body, headers } = init;
  if (init.signal || init.ebb !== undefined || (init as InitChanges)[LAYER] !== undefined) return false;
  if (body !== undefined && typeof body !== 'string') return false;
  if (method !== undefined && !isIdempotent(method)) return false;
  return headers === undefined || rereadableHeaders(headers) === undefined;
}

/** The arguments of a call of `fetch`, and the traits that policies and hooks see. */
export class FetchRequest implements RequestTraits {
  readonly #input: FetchInput;
  readonly #init: EbbRequestInit | undefined;
  /** The input, if it is a `Request`. */
  readonly #request: Request | undefined;
  /** The headers of the init, if they came as an iterator, which can be read only once. */
  readonly #headers: Iterable<string[]> | undefined;
  #upload: Upload | undefined;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;

  constructor(input: FetchInput, init: EbbRequestInit | undefined) {
    this.#input = input;
    this.#init = init;
    this.#request = isRequest(input) ? input : undefined;
    const headers = init?.headers;
    if (headers !== undefined) this.#headers = rereadableHeaders(headers);
    const own = init?.signal;
    const signal = own === undefined ? this.#request?.signal : own;
    // For any other value the base fetch throws.
    this.signal = typeof signal?.addEventListener === 'function' ? signal : undefined;
  }

  get method(): string {
    const own = this.#init?.method;
    if (own !== undefined) return String(own).toUpperCase();
    return (this.#request?.method ?? 'GET').toUpperCase();
  }

  get url(): string {
    return this.#request?.url ?? absoluteUrl(this.#input);
  }

  header(name: string): string | undefined {
    const headers = this.#headers ?? this.#init?.headers ?? this.#request?.headers;
    return headers === undefined ? undefined : headerIn(headers, name);
  }

  get replayable(): boolean {
    return this.#upload?.replayable ?? true;
  }

  /** That of the init: a `Request` has a stream. */
  get body(): unknown {
    return readableBody(this.#init?.body);
  }

  /** What the layers of ebb above have put into the init. */
  get carried(): unknown {
    return (this.#init as InitChanges | undefined)?.[LAYER];
  }

  /** True if the source of the body may still be open when the call ends. */
  get mayLeaveOpen(): boolean {
    return this.#request !== undefined || typeof this.#init?.body === 'function';
  }

  /** True if the caller's function makes the body of each attempt. */
  get hasFactory(): boolean {
    return typeof this.#init?.body === 'function';
  }

  /**
   * Inspects the body before the first attempt.
   *
   * @param isKept keeps the body of a `Request` for a retry
   */
  upload(isKept: boolean): Upload | undefined {
    const body = this.#init?.body;
    if (body !== undefined && body !== null) this.#upload = new Upload(body, undefined, false);
    else if (this.#request?.body) this.#upload = new Upload(undefined, this.#request, isKept);
    return this.#upload;
  }

  /** Closes the source of the body, for a request that is not sent. */
  cancelUpload(reason: unknown): void {
    const body = this.#init?.body ?? this.#request?.body;
    if (typeof body !== 'function') cancelUpload(body, reason);
  }

  /**
   * True if a refused connection must be proven to be that of the first hop before a retry. If it is that of a redirect
   * target, the first server has already processed a request that must not be repeated.
   */
  needsProof({ methods }: Policy): boolean {
    if (methods === 'all' || (methods === 'idempotent' && this.#isIdempotent)) return false;
    return this.followsRedirects;
  }

  get followsRedirects(): boolean {
    const redirect = this.#init?.redirect ?? this.#request?.redirect;
    return redirect !== 'error' && redirect !== 'manual';
  }

  get #isIdempotent(): boolean {
    const isPlain = this.#request === undefined && this.#init?.method === undefined;
    return isPlain || isIdempotent(this.method);
  }

  /** The headers of one attempt. */
  changedHeaders(changes: HeaderChanges): Headers {
    const own = this.#headers ?? this.#init?.headers ?? this.#request?.headers;
    const headers = new Headers(own as HeadersInit | undefined);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) headers.delete(name);
      else headers.set(name, value);
    }
    return headers;
  }

  /** The same request, as it is sent again: it must not get the response of the attempt before. */
  forRetry(): FetchRequest {
    if (unshared === undefined || !sharesResponses?.(this.method)) return this;
    return new FetchRequest(...unshared(this.#input, this.#init, this.#headers, this.signal));
  }

  /** Calls the base fetch, with the caller's own arguments if nothing has to change. */
  sendWith(
    baseFetch: typeof fetch,
    made: InitChanges | undefined,
    signal: AbortSignal | undefined,
    layer: object | undefined,
  ): Promise<Response> {
    const init = this.#init;
    const headers = this.#headers;
    const isUnchanged =
      made === undefined && signal === undefined && headers === undefined && init?.ebb === undefined;
    // With async context, layers below find this call without a mark in the init.
    const isMarked = layer !== undefined && !hasAsyncContext && isPlainInit(init);
    if (isUnchanged && !isMarked) return baseFetch(this.#input, init as RequestInit);

    const changes: InitChanges = { ...made };
    // An invalid signal stays in place, so that the base fetch throws.
    if (signal !== undefined && (this.signal !== undefined || !init?.signal)) changes.signal = signal;
    if (headers !== undefined) changes.headers ??= headers as HeadersInit;
    if (layer !== undefined) changes[LAYER] = layer;
    return baseFetch(...withChanges(this.#input, init, changes));
  }
}
