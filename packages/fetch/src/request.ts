import type { Policy, RequestTraits } from '@ebb/core';
import { isIdempotent, LAYER } from '@ebb/core/adapter';
import { absoluteUrl } from './absolute-url.ts';
import { cancelUpload } from './body/kinds.ts';
import { Upload } from './body/upload.ts';
import { changed, type InitChanges, isEasilyCopied, isRequest } from './changes.ts';
import { headerIn, rereadable } from './headers.ts';
import type { EbbRequestInit, FetchInput } from './init.ts';
import { hasAsyncContext } from './node.ts';

/** What fetch was called with. Policies and their hooks see of it what {@link RequestTraits} says. */
export class FetchRequest implements RequestTraits {
  readonly #input: FetchInput;
  readonly #init: EbbRequestInit | undefined;
  /** The input, if it is a `Request`. */
  readonly #request: Request | undefined;
  /** The headers of the init, if those can be read only once. */
  readonly #headers: Iterable<string[]> | undefined;
  #upload: Upload | undefined;

  constructor(input: FetchInput, init: EbbRequestInit | undefined) {
    this.#input = input;
    this.#init = init;
    this.#request = isRequest(input) ? input : undefined;
    const headers = init?.headers;
    if (headers !== undefined) this.#headers = rereadable(headers);
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
    return headerIn(this.#headers ?? this.#init?.headers ?? this.#request?.headers, name);
  }

  get replayable(): boolean {
    return this.#upload?.replayable ?? true;
  }

  get signal(): AbortSignal | undefined {
    const own = this.#init?.signal;
    const signal = own === undefined ? this.#request?.signal : own;
    // The base fetch tells what is wrong with anything else.
    return typeof signal?.addEventListener === 'function' ? signal : undefined;
  }

  /** What the layers of ebb above have put into the options. */
  get carried(): unknown {
    return (this.#init as InitChanges | undefined)?.[LAYER];
  }

  /** Whether its body may be left open at its source when the call is over. */
  get mayLeaveOpen(): boolean {
    return this.#request !== undefined || typeof this.#init?.body === 'function';
  }

  /** What is to be uploaded, looked at before it is first sent; the body of a `Request` is kept if `isKept`. */
  upload(isKept: boolean): Upload | undefined {
    const body = this.#init?.body;
    if (body !== undefined && body !== null) this.#upload = new Upload(body, undefined, false);
    else if (this.#request?.body) this.#upload = new Upload(undefined, this.#request, isKept);
    return this.#upload;
  }

  /** It will not be sent: what its body comes from is told so. */
  cancelUpload(reason: unknown): void {
    const body = this.#init?.body ?? this.#request?.body;
    if (typeof body !== 'function') cancelUpload(body, reason);
  }

  /**
   * Whether a connection that cannot be made must be proven to be that of the first hop: if it is that of a
   * redirect's target, the request has been done, and this one must not be done twice.
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

  /** Calls the base fetch: with the very arguments of the caller, if nothing has to be changed. */
  sendWith(
    baseFetch: typeof fetch,
    made: InitChanges | undefined,
    signal: AbortSignal | undefined,
    layer: object | undefined,
  ): Promise<Response> {
    const init = this.#init;
    const headers = this.#headers;
    const isAsItCame =
      made === undefined && signal === undefined && headers === undefined && init?.ebb === undefined;
    // The layers below know the call by its context, if there is one, and need no copy for it.
    const isMarked = layer !== undefined && !hasAsyncContext && isEasilyCopied(init);
    if (isAsItCame && !isMarked) return baseFetch(this.#input, init as RequestInit);

    const changes: InitChanges = { ...made };
    // What is no signal stays, and the base fetch tells what is wrong with it.
    if (signal !== undefined && (this.signal !== undefined || !init?.signal)) changes.signal = signal;
    if (headers !== undefined) changes.headers = headers as HeadersInit;
    if (layer !== undefined) changes[LAYER] = layer;
    return baseFetch(...changed(this.#input, init, changes));
  }
}
