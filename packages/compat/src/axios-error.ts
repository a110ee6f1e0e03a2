import type { Outcome, RequestTraits } from '@ebb/core';
import { codeIn, property, type ResponseOutcome, systemRandom, wallMs } from '@ebb/core/internal';

import { configOf } from './call-start.ts';
import { strict } from './shared-options.ts';

/** An error of axios, as far as a program may read it between two attempts: the body has not been transformed then. */
export interface AxiosErrorLike extends Error {
  readonly code?: string | undefined;
  /** Whatever else is read of it throws. */
  readonly response?:
    | { readonly status: number; readonly headers: Readonly<Record<string, unknown>> }
    | undefined;
  readonly config?: AxiosConfigLike | undefined;
}

/** The config of a request. It is the one that is sent again: a program may change it. */
export interface AxiosConfigLike {
  method?: string | undefined;
  url?: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: this package knows no types of axios
  [option: string]: any;
}

/** True if the client resolves with a response: axios by its `validateStatus`, which is 2xx. */
export function isAccepted({ status }: ResponseOutcome, request: RequestTraits): boolean {
  const config = configOf(request);
  if (config === undefined) return status >= 200 && status <= 299;
  const { validateStatus } = config;
  return status === 0 || typeof validateStatus !== 'function' || Boolean(validateStatus(status));
}

/** The headers of a response, by names in lower case, as axios has them; and its `get`. */
function headersOf(outcome: ResponseOutcome): Readonly<Record<string, unknown>> {
  const get = (name: PropertyKey): unknown =>
    typeof name === 'string' ? outcome.header(name.toLowerCase()) : undefined;
  return new Proxy({}, { get: (_, name) => (name === 'get' ? get : get(name)) });
}

/** The error that axios makes of an outcome; the error itself if it is one of axios. */
export function axiosErrorOf(outcome: Outcome | undefined, request: RequestTraits): AxiosErrorLike {
  const config = configOf(request) ?? { method: request.method.toLowerCase(), url: request.url };
  if (outcome?.type === 'response') {
    const { status } = outcome;
    const response = strict('error.response', { status, headers: headersOf(outcome) });
    const code = status >= 400 && status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE';
    const name = 'AxiosError';
    const error = new Error(`Request failed with status code ${status}`);
    return Object.assign(error, { name, isAxiosError: true, code, status, config, response });
  }
  const error = outcome?.error;
  if (property(error, 'config')) return error as AxiosErrorLike;
  // From another client, or after a skipped attempt: axios has this code for its own timeout.
  const code = outcome?.kind === 'timeout' ? 'ECONNABORTED' : codeIn(error).code;
  return Object.assign(new Error(String(property(error, 'message') ?? ''), { cause: error }), {
    code,
    config,
  });
}

/** The codes of errors for which a retry is useless. Source: is-retry-allowed 2.2.0. */
const DENIED =
  /^(ENOTFOUND|ENETUNREACH|UNABLE_TO_(GET_(ISSUER_CERT(_LOCALLY)?|CRL)|DECRYPT_C(ERT|RL)_SIGNATURE|DECODE_ISSUER_PUBLIC_KEY|VERIFY_LEAF_SIGNATURE)|C(ERT|RL)_(SIGNATURE_FAILURE|NOT_YET_VALID|HAS_EXPIRED)|ERROR_IN_C(ERT_NOT_(BEFORE|AFTER)|RL_(LAST|NEXT)_UPDATE)_FIELD|OUT_OF_MEM|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|CERT_(CHAIN_TOO_LONG|REVOKED|UNTRUSTED|REJECTED)|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/;

export function isNetworkError({ response, code }: AxiosErrorLike): boolean {
  return !response && Boolean(code) && !/^(ERR_CANCELED|ECONNABORTED)$/.test(code ?? '') && !isDenied(code);
}

function isDenied(code: string | undefined): boolean {
  return DENIED.test(code ?? '');
}

export function isRetryableError({ response, code }: AxiosErrorLike): boolean {
  if (code === 'ECONNABORTED') return false;
  return !response || response.status === 429 || (response.status >= 500 && response.status <= 599);
}

export function isSafeRequestError(error: AxiosErrorLike): boolean {
  return isRetryableError(error) && /^(get|head|options)$/.test(error.config?.method ?? '');
}

export function isIdempotentRequestError(error: AxiosErrorLike): boolean {
  return isRetryableError(error) && /^(get|head|options|put|delete)$/.test(error.config?.method ?? '');
}

export function isNetworkOrIdempotentRequestError(error: AxiosErrorLike): boolean {
  return isNetworkError(error) || isIdempotentRequestError(error);
}

/** In milliseconds; 0 without a `Retry-After`. */
export function retryAfter(error?: AxiosErrorLike): number {
  const field = error?.response?.headers['retry-after'];
  const seconds = Number(field) || 0;
  const untilMs = (): number => (new Date(field as string).valueOf() || 0) - wallMs();
  return Math.max(0, seconds === 0 ? untilMs() : seconds * 1_000);
}

/** 2^n · `delayFactor` or the `Retry-After`, plus up to a fifth. */
export function exponentialDelay(retryNumber = 0, error?: AxiosErrorLike, delayFactor = 100): number {
  const delayMs = Math.max(2 ** retryNumber * delayFactor, retryAfter(error));
  return delayMs + delayMs * 0.2 * systemRandom();
}

/** n · `delayFactor`, or the `Retry-After`. */
export function linearDelay(delayFactor = 100): (retryNumber?: number, error?: AxiosErrorLike) => number {
  return (retryNumber = 0, error) => Math.max(retryNumber * delayFactor, retryAfter(error));
}
