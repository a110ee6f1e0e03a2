import type { InternalAxiosRequestConfig } from 'axios';
import { type AxiosCopy } from './axios-copy.ts';
/** The caller's way to cancel a request: `signal`, the older `cancelToken`, or both in one signal. */
export interface CallerSignal {
    readonly signal: AbortSignal;
    /** Removes the listeners from the caller's signal and token. */
    release(): void;
}
/** Returns `undefined` if the config has neither. */
export declare function callerSignal(config: InternalAxiosRequestConfig): CallerSignal | undefined;
/**
 * The error that the caller of an aborted request gets: axios's own CanceledError with the signal's reason as its
 * cause, whether the abort came during a wait or during an attempt. Returns any other error unchanged.
 *
 * Without any copy of axios it returns the signal's reason: axios itself turns any error that arrives while the signal is
 * aborted into its CanceledError.
 */
export declare function asCanceled(error: unknown, signal: AbortSignal | undefined, config: InternalAxiosRequestConfig, copy: AxiosCopy | undefined): unknown;
//# sourceMappingURL=cancel.d.ts.map