import type { Clock } from '@ebb/core';
import type { AxiosError, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { AxiosCopy } from './axios-copy.ts';
/** An attempt with a time limit. */
interface TimedAttempt {
    readonly timeoutMs: number;
    readonly clock: Clock;
    /** Makes the timeout error. */
    error(): unknown;
    readonly config: InternalAxiosRequestConfig;
    send(): Promise<AxiosResponse>;
    /** Called when the time is up, before anything that the attempt waits for is cancelled. */
    timedOut(): void;
}
/**
 * Sends one attempt, and gives up on it after `timeoutMs`.
 *
 * axios's own `timeout` cannot do this. Its http adapter counts until the headers and after that only idle time,
 * so a body that trickles never times out; and for a streamed response it keeps counting while the caller reads.
 *
 * @throws AxiosError when the time is up, the same as axios throws for `timeout`
 */
export declare function sendWithTimeout(attempt: TimedAttempt): Promise<AxiosResponse>;
/** The error of axios's own timeout. */
export declare function timeoutError(copy: AxiosCopy, config: InternalAxiosRequestConfig, timeoutMs: number): AxiosError;
export {};
//# sourceMappingURL=attempt-timeout.d.ts.map