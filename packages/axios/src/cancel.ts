import { property } from '@ebb/core/adapter';
import type { InternalAxiosRequestConfig } from 'axios';
import type { Copy } from './axios-copy.ts';

/** The caller's wish to stop, whether it comes by `signal` or by the older `cancelToken`. */
export interface CallerSignal {
  readonly signal: AbortSignal;
  /** Leaves nothing behind with the caller. */
  release(): void;
}

const nothing = (): void => {};

/** Nothing where the caller keeps no way to stop the request. */
export function callerSignal(config: InternalAxiosRequestConfig): CallerSignal | undefined {
  // axios asks of a signal no more than ebb does; that of an old polyfill has no `reason`.
  const signal = config.signal as AbortSignal | undefined;
  const token = config.cancelToken;
  if (token === undefined || token === null) return signal ? { signal, release: nothing } : undefined;

  const either = new AbortController();
  const onCancel = (reason: unknown): void => either.abort(reason);
  const onAbort = (): void => either.abort(signal?.reason);
  token.subscribe(onCancel);
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: either.signal,
    release() {
      token.unsubscribe(onCancel);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

/**
 * What the caller of a request that was aborted is told: axios's own CanceledError, with the signal's reason as
 * its cause, whether the abort came in a wait or during an attempt. Any other error as it is.
 *
 * Without the instance's copy of axios it stays the signal's reason: axios itself makes its CanceledError of any
 * error that comes while the signal is aborted.
 */
export function asCanceled(
  error: unknown,
  signal: AbortSignal | undefined,
  config: InternalAxiosRequestConfig,
  copy: Copy | undefined,
): unknown {
  if (!signal?.aborted) return error;
  const { reason } = signal as { reason?: unknown };
  const canceled = canceledBy(error, reason, config, copy);
  if (canceled === undefined) return error;
  if (canceled.cause === undefined && reason !== canceled) {
    // As `new Error(message, { cause })` has it: not enumerable, so that loggers do not walk into it.
    Object.defineProperty(canceled, 'cause', { value: reason, writable: true, configurable: true });
  }
  return canceled;
}

function canceledBy(
  error: unknown,
  reason: unknown,
  config: InternalAxiosRequestConfig,
  copy: Copy | undefined,
): Error | undefined {
  // As axios tells its own from others.
  if (property(error, '__CANCEL__')) return error as Error;
  return error === reason && copy !== undefined ? new copy.CanceledError(undefined, config) : undefined;
}
