import { type FailureKind, HookError, type Outcome } from '@ebb/core';
import { failureKind, property } from '@ebb/core/adapter';
import type { AxiosError, AxiosResponse } from 'axios';
import { recordedResponse } from './recording-fetch.ts';
import { originOf } from './redirect.ts';
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

/** Reads the response that an adapter resolved with. */
export function outcomeOf({ status, headers, request }: AxiosResponse, traits: Traits): Outcome {
  const header = (name: string): string | undefined => {
    return (name === 'retry-after' ? allRetryAfter(request) : undefined) ?? headerOf(headers, name);
  };
  const { redirected, url } = originOf(traits.config, request, () => traits.url);
  return { type: 'response', status, header, redirected, url };
}

/** Every `Retry-After` line. Node's `headers` keep only the first, which may be the shorter one. */
function allRetryAfter(request: NodeRequest | undefined): string | undefined {
  return request?.res?.headersDistinct?.['retry-after']?.join(', ');
}

/** Reads what an adapter rejected with: a response that `validateStatus` refused, or a failure. */
export function failureOf(error: unknown, traits: Traits): Outcome {
  const response = property(error, 'response') as AxiosResponse | undefined;
  const request = property(error, 'request');
  if (response !== undefined && failedByStatus(response)) return outcomeOf(response, traits);
  const kind = kindOf(error as AxiosError);
  const hidden = kind === 'aborted' ? undefined : hiddenResponse(request);
  if (hidden !== undefined) return outcomeOf(hidden as AxiosResponse, traits);
  const { redirected } = originOf(traits.config, request, () => traits.url);
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
