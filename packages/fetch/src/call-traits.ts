import type { Policy, RequestTraits } from '@ebb/core';
import { type Followed, isIdempotent, LAYER, readableBody } from '@ebb/core/adapter';
import { followForeign } from '#platform';
import type { EbbRequestInit, FetchInput } from './init.ts';
import { absoluteUrl, headerIn, type InitChanges, isRequest, rereadableHeaders } from './request.ts';
import type { Upload } from './upload.ts';

/** The arguments of a call of `fetch`, and the traits that policies and hooks see. */
export class CallTraits implements RequestTraits {
  protected input: FetchInput;
  protected init: EbbRequestInit | undefined;
  /** The input, if it is a `Request`. */
  protected request: Request | undefined;
  /** The headers of the init, if they came as an iterator, which can be read only once. */
  protected readonly headers: [string, string][] | undefined;
  /** The caller's own signal. */
  protected own: AbortSignal | undefined;
  /** The caller's signal, or a native one that follows it. */
  readonly signal: AbortSignal | undefined;
  protected upload: Upload | undefined;
  /** There if the caller's signal is that of another library. */
  protected followed: Followed | undefined;

  constructor(input: FetchInput, init: EbbRequestInit | undefined) {
    this.input = input;
    this.init = init;
    if (isRequest(input)) this.request = input;
    this.headers = rereadableHeaders(init?.headers);
    const signal = this.member('signal') as AbortSignal | undefined;
    // For any other value the base fetch throws.
    if (typeof signal?.addEventListener !== 'function') return;
    this.own = signal;
    if (followForeign) this.followed = followForeign(signal);
    this.signal = followForeign ? (this.followed?.signal ?? signal) : signal;
  }

  /** A member of the init, or else of the `Request`. */
  protected member<K extends keyof EbbRequestInit & keyof Request>(name: K): unknown {
    const own = this.init?.[name];
    return own === undefined ? this.request?.[name] : own;
  }

  get method(): string {
    return String(this.member('method') ?? 'GET').toUpperCase();
  }

  get url(): string {
    return this.request?.url ?? absoluteUrl(this.input);
  }

  header(name: string): string | undefined {
    const headers = this.headers ?? this.member('headers');
    return headers === undefined ? undefined : headerIn(headers, name);
  }

  get replayable(): boolean {
    return this.upload?.replayable ?? true;
  }

  /** That of the init: a `Request` has a stream. */
  get body(): unknown {
    return readableBody(this.init?.body);
  }

  /** What the layers of ebb above have put into the init. */
  get carried(): unknown {
    return (this.init as InitChanges | undefined)?.[LAYER];
  }

  protected get followsRedirects(): boolean {
    const redirect = this.member('redirect');
    return redirect !== 'error' && redirect !== 'manual';
  }

  /**
   * True if a refused connection must be proven to be that of the first hop before a retry. If it is that of a redirect
   * target, the first server has already processed a request that must not be repeated.
   */
  protected needsProof({ methods }: Policy): boolean {
    if (methods === 'all' || (methods === 'idempotent' && isIdempotent(this.method))) return false;
    return this.followsRedirects;
  }
}
