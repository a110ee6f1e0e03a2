import { property } from '@ebb/core/adapter';
import type { InternalAxiosRequestConfig } from 'axios';
import { type AxiosCopy, anyCopy } from './axios-copy.ts';

/** The caller's way to cancel a request: `signal`, the older `cancelToken`, or both in one signal. */
export interface CallerSignal {
  readonly signal: AbortSignal;
  /** Removes the listeners from the caller's signal and token. */
  release?(): void;
}

/** Returns `undefined` if the config has neither. */
export function callerSignal(config: InternalAxiosRequestConfig): CallerSignal | undefined {
  // axios uses no more of a signal than ebb does; that of an old polyfill has no `reason`.
  const signal = config.signal as AbortSignal | undefined;
  const token = config.cancelToken;
  if (!token) return signal ? { signal } : undefined;

  const either = new AbortController();
  const onCancel = (reason: unknown): void => either.abort(reason);
  const onSignal = (): void => either.abort(signal?.reason);
  token.subscribe(onCancel);
  signal?.addEventListener('abort', onSignal, { once: true });
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
  copy: AxiosCopy | undefined,
): unknown {
  if (!signal?.aborted) return error;
  const reason: unknown = signal.reason;
  let canceled = error as Error;
  // The mark that `axios.isCancel` looks for.
  if (!property(error, '__CANCEL__')) {
    const found = error === reason ? (copy ?? anyCopy()) : undefined;
    if (found === undefined) return error;
    canceled = new found.CanceledError(undefined, config);
  }
  if (canceled.cause === undefined && reason !== canceled) {
    // Not enumerable, as with `new Error(message, { cause })`, so that loggers do not descend into it.
    Object.defineProperty(canceled, 'cause', { value: reason, writable: true, configurable: true });
  }
  return canceled;
}
