import type { FailureKind, Outcome, RequestTraits } from '@ebb/core';
import { failureKind, HookError, property, responseHeader } from '@ebb/core/adapter';
import type { AxiosResponse } from 'axios';
import { breaksBody, everyRetryAfter, isTunnelRefused, lastHop, receivedResponse } from '#platform';
import { recordedResponse } from './axios-copy.ts';
import type { Config } from './config.ts';
import type { NodeRequest, Origin } from './platform/node.ts';

/** A request as its outcomes ask about it. */
type OutcomeRequest = Pick<RequestTraits, 'url'> & { readonly config: Config };

/**
 * A header of a request or a response. The headers are an `AxiosHeaders`, whose values may be lists or `false`, or an object of a custom
 * adapter.
 */
export function headerOf(headers: unknown, name: string): string | undefined {
  const value: unknown = responseHeader(headers, name);
  if (value === undefined || value === false) return undefined;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** The properties of an adapter's `request` that reveal redirects. */
interface ShownRequest extends NodeRequest {
  /** `Request` of fetch. */
  readonly redirect?: unknown;
  /** `XMLHttpRequest`. */
  readonly responseURL?: unknown;
}

/**
 * Tells from an adapter's `request` which hop an outcome came from. The response of a redirect's target says nothing
 * about whether the first server did its work, so a redirect is ruled out only by proof.
 */
function originOf(sent: OutcomeRequest, request: unknown): Origin {
  const { config } = sent;
  const shown: ShownRequest = request ?? {};
  const known = (lastHop ? lastHop(shown) : undefined) ?? recordedResponse(request);
  if (known) return known.redirected ? known : { redirected: false };
  const { redirect, responseURL } = shown;
  if (typeof redirect === 'string') return { redirected: redirect === 'follow' };
  if (typeof responseURL === 'string' && responseURL !== '') {
    const isRequested = [sent.url, config.url ?? ''].some(
      (one) => serializeUrl(one) === serializeUrl(responseURL),
    );
    return isRequested ? { redirected: false } : { redirected: true, url: responseURL };
  }
  // Node's HTTP/2 follows no redirects, and `maxRedirects` applies to the http adapter alone.
  const followsNone = config.maxRedirects === 0 || Number(config.httpVersion) === 2;
  return { redirected: !followsNone || 'responseURL' in shown };
}

/** As a browser serializes it, without the fragment, which is not sent. */
function serializeUrl(url: string): string {
  return (URL.parse(url)?.href ?? url).replace(/#.*/s, '');
}

interface ReceivedResponse {
  readonly status: number;
  readonly headers: unknown;
  readonly request?: unknown;
}

/** A response that an adapter resolved with. Its headers and its origin are read when they are asked for. */
export class ResponseOutcome {
  readonly type = 'response';
  readonly status: number;
  /** Not the response itself, whose body may be large. */
  readonly #shown: Omit<ReceivedResponse, 'status'>;
  readonly #sent: OutcomeRequest;
  #found: Origin | undefined;

  constructor({ status, headers, request }: ReceivedResponse, sent: OutcomeRequest) {
    this.status = status;
    this.#shown = { headers, request };
    this.#sent = sent;
  }

  header(name: string): string | undefined {
    const { headers, request } = this.#shown;
    const all = everyRetryAfter && name === 'retry-after' && everyRetryAfter(request ?? {});
    return all || headerOf(headers, name);
  }

  get redirected(): boolean {
    return this.#origin.redirected;
  }

  get url(): string | undefined {
    return this.#origin.url;
  }

  get #origin(): Origin {
    this.#found ??= originOf(this.#sent, this.#shown.request);
    return this.#found;
  }
}

/**
 * Reads a response. If a proxy has refused the tunnel, its answer is no response of the server.
 *
 * @param error the rejection of the adapter; `undefined` if it has resolved
 */
export function outcomeOf(response: ReceivedResponse, sent: OutcomeRequest, error?: unknown): Outcome {
  const { request } = response;
  if (!isTunnelRefused?.(request ?? {})) return new ResponseOutcome(response, sent);
  return { type: 'failure', kind: 'connect', error, redirected: originOf(sent, request).redirected };
}

/** Reads what an adapter rejected with: a response that `validateStatus` refused, or a failure. */
export function failureOf(error: unknown, sent: OutcomeRequest): Outcome {
  const response = property(error, 'response') as AxiosResponse | undefined;
  const request = property(error, 'request');
  if (response && failedByStatus(response)) return outcomeOf(response, sent, error);
  const hidden = hiddenResponse(request);
  if (hidden) return outcomeOf(hidden, sent, error);
  return { type: 'failure', kind: kindOf(error), error, redirected: originOf(sent, request).redirected };
}

/**
 * A response with an error status whose body could not be read: too long, or not valid gzip. axios reports only
 * the error of the body, but the status decides whether to retry.
 */
function hiddenResponse(request: unknown): ReceivedResponse | undefined {
  const response =
    recordedResponse(request) ?? (receivedResponse ? receivedResponse(request ?? {}) : undefined);
  if (!response || response.status < 400) return undefined;
  const { status, headers } = response;
  return { status, headers, request };
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

function kindOf(error: unknown): FailureKind {
  // A body factory failed, so nothing was sent, whatever its cause says.
  if (error instanceof HookError) return 'unknown';
  const kind = failureKind(error);
  const code = property(error, 'code');
  const message = property(error, 'message');
  const timeoutMessage = property(property(error, 'config'), 'timeoutErrorMessage');
  const isTimeoutCode = code === 'ETIMEDOUT' || code === 'ECONNABORTED';
  // A timeout aborts the exchange, and the fetch adapter keeps the abort as the cause. The caller's signal is asked first.
  if (kind === 'aborted') return isTimeoutCode ? 'timeout' : 'unknown';
  // `timeoutErrorMessage` replaces `timeout of … exceeded`.
  if (kind === 'network' && isTimeoutCode && message === timeoutMessage) return 'timeout';
  return kind === 'unknown' && breaksBody(error) ? 'network' : kind;
}
