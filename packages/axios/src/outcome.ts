import { type FailureKind, HookError, type Outcome } from '@ebb/core';
import { failureKind, property } from '@ebb/core/adapter';
import type { AxiosError, AxiosResponse } from 'axios';
import { recordedResponse } from './recording-fetch.ts';
import { type Origin, originOf } from './redirect.ts';
import { headerOf } from './response.ts';
import type { Traits } from './traits.ts';

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
