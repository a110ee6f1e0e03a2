import { type FailureKind, HookError, type Outcome } from '@ebb/core';
import { failureKind, property } from '@ebb/core/adapter';
import type { AxiosError, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { noteOf } from './recording-fetch.ts';
import { originOf } from './redirect.ts';

/** A header of axios's own kind, of the web's, or of a plain object that a custom adapter gave. */
export function headerOf(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const bag = headers as Record<string, unknown>;
  const value =
    typeof bag.get === 'function'
      ? bag.get(name)
      : bag[Object.keys(bag).find((key) => key.toLowerCase() === name) ?? name];
  if (value === undefined || value === null || value === false) return undefined;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** The response that an adapter resolved with, or that is told of in the error that it rejected with. */
export function responseIn(settled: unknown): AxiosResponse | undefined {
  const response = (property(settled, 'response') ?? settled) as AxiosResponse | undefined;
  return property(response, 'status') === undefined ? undefined : response;
}

/** All lines of `Retry-After`: Node's headers hold only the first, and with that a retry could come too soon. */
function retryAfterOf(request: NodeRequest | undefined): string | undefined {
  return request?.res?.headersDistinct?.['retry-after']?.join(', ');
}

interface NodeRequest {
  readonly res?: { readonly headersDistinct?: Readonly<Record<string, string[] | undefined>> };
}

/** Of whose outcome it is. */
interface Asked {
  readonly url: string;
  readonly config: InternalAxiosRequestConfig;
}

export function outcomeOf({ status, headers, request }: AxiosResponse, asked: Asked): Outcome {
  const header = (name: string): string | undefined => {
    return (name === 'retry-after' ? retryAfterOf(request) : undefined) ?? headerOf(headers, name);
  };
  const { redirected, url } = originOf(asked.config, request, () => asked.url);
  return { type: 'response', status, header, redirected, url };
}

/** What an adapter rejected with: a response whose status axios does not want, or a failure. */
export function failureOf(error: unknown, asked: Asked): Outcome {
  const response = property(error, 'response') as AxiosResponse | undefined;
  const request = property(error, 'request');
  if (response !== undefined && toldByStatus(response)) return outcomeOf(response, asked);
  const kind = kindOf(error as AxiosError);
  const hidden = kind === 'aborted' ? undefined : hiddenResponse(request);
  if (hidden !== undefined) return outcomeOf(hidden as AxiosResponse, asked);
  const { redirected } = originOf(asked.config, request, () => asked.url);
  return { type: 'failure', kind, error, redirected };
}

/**
 * A response that failed, and whose body could not be read: it was too long, or packed badly. Axios tells of
 * that alone, but the status still says what happened.
 */
function hiddenResponse(request: unknown): object | undefined {
  const note = noteOf(request);
  const { res } = (request ?? {}) as { res?: { statusCode?: number; headers?: object } };
  const status = note?.status ?? res?.statusCode ?? 0;
  return status < 400 ? undefined : { status, headers: note?.headers ?? res?.headers, request };
}

/**
 * Whether the status is what went wrong. A connection that breaks in the middle of a body is told with the
 * response, too. Where the status was an error in itself it still says what happened, although the body was
 * lost; where it was a success it says nothing.
 */
function toldByStatus({ status, config }: AxiosResponse): boolean {
  if (status >= 300) return true;
  const validate = config?.validateStatus;
  return typeof validate === 'function' && !validate(status);
}

/** What axios says when the connection breaks in the middle of a body; the latter in older versions. */
const BROKEN_OFF = /^(stream has been aborted|maxContentLength size of -1 exceeded)$/;

function kindOf(error: AxiosError): FailureKind {
  // A body that could not be made: whatever its cause, nothing was asked of a server.
  if (error instanceof HookError) return 'unknown';
  const kind = failureKind(error);
  const code = property(error, 'code');
  const message = property(error, 'message');
  const config = property(error, 'config') as AxiosError['config'];
  const saysTimeout = code === 'ETIMEDOUT' || code === 'ECONNABORTED';
  // A timeout aborts the exchange, and the fetch adapter keeps the abort as the cause.
  if (kind === 'aborted' && saysTimeout) return 'timeout';
  // The caller may have put a text of their own in place of `timeout of … exceeded`.
  if (kind === 'network' && saysTimeout && message === config?.timeoutErrorMessage) return 'timeout';
  if (kind === 'unknown' && typeof message === 'string' && BROKEN_OFF.test(message)) return 'network';
  return kind;
}
