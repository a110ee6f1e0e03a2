import { type FailureKind, HookError, type Outcome } from '@ebb/core';
import { failureKind, property } from '@ebb/core/adapter';
import type { AxiosError, AxiosResponse } from 'axios';
import { recordedResponse } from './recording-fetch.ts';
import { headerOf } from './response.ts';
import type { Traits } from './traits.ts';

/** Which hop an outcome came from. */
interface Origin {
  /** True unless it is certain that no redirect was followed. */
  readonly redirected: boolean;
  /** The URL of the last hop, if a redirect was followed and the URL is known. */
  readonly url?: string | undefined;
}

const FIRST_HOP: Origin = { redirected: false };
const UNKNOWN_HOP: Origin = { redirected: true };

/** The properties of an adapter's `request` that reveal redirects. */
interface ShownRequest {
  /** `follow-redirects`: the last hop's request refers to the one that follows; an error carries that one itself. */
  readonly _redirectable?: ShownRequest;
  readonly _redirectCount?: number;
  readonly _currentUrl?: string;
  /** `Request` of fetch. */
  readonly redirect?: unknown;
  /** `XMLHttpRequest`. */
  readonly responseURL?: unknown;
}

/**
 * Tells from an adapter's `request` which hop an outcome came from. The response of a redirect's target says nothing
 * about whether the first server did its work, so a redirect is ruled out only by proof.
 */
function originOf(traits: Traits, request: unknown): Origin {
  const { config } = traits;
  const shown = (request ?? {}) as ShownRequest;
  const hops = (shown._redirectable ?? shown)._redirectCount;
  if (typeof hops === 'number') {
    return hops === 0 ? FIRST_HOP : { redirected: true, url: (shown._redirectable ?? shown)._currentUrl };
  }
  const recorded = recordedResponse(request);
  if (recorded !== undefined) return recorded.redirected ? recorded : FIRST_HOP;
  if (typeof shown.redirect === 'string') return shown.redirect === 'follow' ? UNKNOWN_HOP : FIRST_HOP;
  if (typeof shown.responseURL === 'string' && shown.responseURL !== '') {
    const url = shown.responseURL;
    const isRequested = [traits.url, config.url ?? ''].some(
      (requested) => normalized(requested) === normalized(url),
    );
    return isRequested ? FIRST_HOP : { redirected: true, url };
  }
  // Node's HTTP/2 follows no redirects, and `maxRedirects` applies to the http adapter alone.
  const followsNone = config.maxRedirects === 0 || Number(config.httpVersion) === 2;
  return followsNone && !isXhr(shown) ? FIRST_HOP : UNKNOWN_HOP;
}

function isXhr(shown: ShownRequest): boolean {
  return 'responseURL' in shown;
}

/** As a browser serializes it, without the fragment, which is not sent. */
function normalized(url: string): string {
  return (URL.parse(url)?.href ?? url).replace(/#.*$/s, '');
}

/** What Node's `ClientRequest` shows of its response. */
interface NodeRequest {
  readonly res?: {
    readonly statusCode?: number;
    readonly headers?: object;
    readonly headersDistinct?: Readonly<Record<string, string[] | undefined>>;
  };
}

/** A response that an adapter resolved with. Its headers and its origin are read when they are asked for. */
export class ResponseOutcome {
  readonly type = 'response';
  readonly status: number;
  readonly #headers: unknown;
  readonly #request: unknown;
  readonly #traits: Traits;
  #found: Origin | undefined;

  constructor({ status, headers, request }: AxiosResponse, traits: Traits) {
    this.status = status;
    this.#headers = headers;
    this.#request = request;
    this.#traits = traits;
  }

  header(name: string): string | undefined {
    const all = name === 'retry-after' ? allRetryAfter(this.#request as NodeRequest) : undefined;
    return all ?? headerOf(this.#headers, name);
  }

  get redirected(): boolean {
    return this.#origin.redirected;
  }

  get url(): string | undefined {
    return this.#origin.url;
  }

  get #origin(): Origin {
    this.#found ??= originOf(this.#traits, this.#request);
    return this.#found;
  }
}

/** Every `Retry-After` line. Node's `headers` keep only the first, which may be the shorter one. */
function allRetryAfter(request: NodeRequest | undefined): string | undefined {
  return request?.res?.headersDistinct?.['retry-after']?.join(', ');
}

/** Reads what an adapter rejected with: a response that `validateStatus` refused, or a failure. */
export function failureOf(error: unknown, traits: Traits): Outcome {
  const response = property(error, 'response') as AxiosResponse | undefined;
  const request = property(error, 'request');
  if (response !== undefined && failedByStatus(response)) return new ResponseOutcome(response, traits);
  const kind = kindOf(error as AxiosError);
  const hidden = kind === 'aborted' ? undefined : hiddenResponse(request);
  if (hidden !== undefined) return new ResponseOutcome(hidden as AxiosResponse, traits);
  const { redirected } = originOf(traits, request);
  return { type: 'failure', kind, error, redirected };
}

/**
 * A response with an error status whose body could not be read: too long, or not valid gzip. axios reports only
 * the error of the body, but the status decides whether to retry.
 */
function hiddenResponse(request: unknown): object | undefined {
  const recorded = recordedResponse(request);
  const { res } = (request ?? {}) as NodeRequest;
  const status = recorded?.status ?? res?.statusCode ?? 0;
  return status < 400 ? undefined : { status, headers: recorded?.headers ?? res?.headers, request };
}

/**
 * Whether the status is the failure. axios also attaches the response if the connection breaks in the middle of
 * its body: an error status still counts then, a success status does not.
 */
function failedByStatus({ status, config }: AxiosResponse): boolean {
  if (status >= 300) return true;
  const validate = config?.validateStatus;
  return typeof validate === 'function' && !validate(status);
}

/** axios's messages for a connection that breaks in the middle of a body; older versions use the second. */
const BROKEN_BODY = /^(stream has been aborted|maxContentLength size of -1 exceeded)$/;

function kindOf(error: AxiosError): FailureKind {
  // A body factory failed, so nothing was sent, whatever its cause says.
  if (error instanceof HookError) return 'unknown';
  const kind = failureKind(error);
  const code = property(error, 'code');
  const message = property(error, 'message');
  const config = property(error, 'config') as AxiosError['config'];
  const isTimeoutCode = code === 'ETIMEDOUT' || code === 'ECONNABORTED';
  // A timeout aborts the exchange, and the fetch adapter keeps the abort as the cause.
  if (kind === 'aborted' && isTimeoutCode) return 'timeout';
  // `timeoutErrorMessage` replaces `timeout of … exceeded`.
  if (kind === 'network' && isTimeoutCode && message === config?.timeoutErrorMessage) return 'timeout';
  if (kind === 'unknown' && typeof message === 'string' && BROKEN_BODY.test(message)) return 'network';
  return kind;
}
