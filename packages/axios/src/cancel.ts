import type { Clock } from '@ebb/core';
import { LONGEST_DISCARD_MS, nativeSignal, property, withinBounds } from '@ebb/core/adapter';
import type { AxiosError, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { type AxiosCopy, copyFor, needCopy } from './axios-copy.ts';
import { discard } from './response-body.ts';

/** The caller's way to cancel a request: `signal`, the older `cancelToken`, or both in one signal. */
export interface CallerSignal {
  readonly signal: AbortSignal;
  /** Removes the listeners from the caller's signal and token. */
  release?(): void;
}

/** Returns `undefined` if the config has neither. */
export function callerSignal(config: InternalAxiosRequestConfig): CallerSignal | undefined {
  const signal = config.signal ? nativeSignal(config.signal as AbortSignal) : undefined;
  const token = config.cancelToken;
  if (!token) return signal ? { signal } : undefined;

  const either = new AbortController();
  const onCancel = (reason: unknown): void => either.abort(reason);
  const onSignal = (): void => either.abort(signal?.reason);
  token.subscribe(onCancel);
  signal?.addEventListener('abort', onSignal);
  return {
    signal: either.signal,
    release() {
      token.unsubscribe(onCancel);
      signal?.removeEventListener('abort', onSignal);
    },
  };
}

/**
 * The error that the caller of an aborted request gets: axios's own CanceledError with the signal's reason as its
 * cause, whether the abort came during a wait or during an attempt. Returns any other error unchanged.
 *
 * Without any copy of axios it returns the signal's reason: axios itself turns any error that arrives while the signal is
 * aborted into its CanceledError.
 */
export function asCanceled(
  error: unknown,
  signal: AbortSignal | undefined,
  config: InternalAxiosRequestConfig,
  given: AxiosCopy | undefined,
): unknown {
  if (!signal?.aborted) return error;
  const reason: unknown = signal.reason;
  let canceled = error as Error;
  // The mark that `axios.isCancel` looks for.
  if (property(error, '__CANCEL__')) {
    // The reason of a cancel token is the error itself.
    if (property(reason, '__CANCEL__')) return reason;
  } else {
    // axios would replace an error with a response by a CanceledError of its own, which has no history.
    const isReplaced = error === reason || property(error, 'response') !== undefined;
    const found = isReplaced ? copyFor(config, given) : undefined;
    if (found === undefined) return error;
    canceled = new found.CanceledError(undefined, config);
  }
  if (canceled.cause === undefined) {
    // Not enumerable, as with `new Error(message, { cause })`, so that loggers do not descend into it.
    Object.defineProperty(canceled, 'cause', { value: reason, writable: true, configurable: true });
  }
  return canceled;
}

/** The error of axios's own timeout. */
export function timeoutError(
  given: AxiosCopy | undefined,
  config: InternalAxiosRequestConfig,
  timeoutMs: number,
): AxiosError {
  const { AxiosError } = needCopy(config, given);
  const message = config.timeoutErrorMessage || `timeout of ${timeoutMs}ms exceeded`;
  const { ETIMEDOUT, ECONNABORTED } = AxiosError;
  return new AxiosError(message, config.transitional?.clarifyTimeoutError ? ETIMEDOUT : ECONNABORTED, config);
}

/**
 * Sends one attempt, and gives up on it after `timeoutMs`.
 *
 * axios's own `timeout` cannot do this. The http adapter of axios counts the time until the headers, then only idle time, so a body that
 * trickles never times out. For a streamed response the timeout keeps running while the caller reads.
 *
 * @param timeOut called when the time is up, cancels the attempt, and returns the error
 */
export function sendWithTimeout(
  timeoutMs: number,
  clock: Clock,
  send: () => Promise<AxiosResponse>,
  timeOut: () => AxiosError,
): Promise<AxiosResponse> {
  let isLate = false;
  const late = (): AxiosError => {
    isLate = true;
    return timeOut();
  };
  const closeLate = (settled: unknown): void => {
    if (isLate) discard(settled, clock, LONGEST_DISCARD_MS);
  };
  const sent = new Promise<AxiosResponse>((settle) => settle(send()));
  sent.then(closeLate, closeLate);
  return withinBounds(sent, { clock, signal: undefined, leftMs: timeoutMs, late });
}
