import type { Clock } from '@ebb/core';
import { LONGEST_DISCARD_MS } from '@ebb/core/adapter';
import type { AxiosError, AxiosResponse, Cancel, CancelToken, InternalAxiosRequestConfig } from 'axios';
import type { AxiosCopy } from './axios-copy.ts';
import { discard } from './body/response-body.ts';

/**
 * Sends one attempt, and gives up on it after `timeoutMs`.
 *
 * axios's own `timeout` cannot do this. Its http adapter counts until the headers and after that only idle time,
 * so a body that trickles never times out; and for a streamed response it keeps counting while the caller reads.
 *
 * @param token what the attempt is sent with
 * @param timeOut called when the time is up, before anything that the attempt waits for is cancelled; returns the error
 * @throws AxiosError when the time is up, the same as axios throws for `timeout`
 */
export function sendWithTimeout(
  timeoutMs: number,
  clock: Clock,
  token: AttemptToken,
  send: () => Promise<AxiosResponse>,
  timeOut: () => AxiosError,
): Promise<AxiosResponse> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const cancelTimer = clock.schedule(() => {
      isLate = true;
      const error = timeOut();
      // Before the token is cancelled: a custom adapter may ignore tokens, and go on.
      reject(error);
      token.cancel(error);
    }, timeoutMs);
    const settling =
      <T>(settle: (result: T) => void) =>
      (result: T): void => {
        cancelTimer();
        if (isLate) discard(result, clock, LONGEST_DISCARD_MS);
        else settle(result);
      };
    new Promise<AxiosResponse>((settle) => settle(send())).then(settling(resolve), settling(reject));
  });
}

/** The error of axios's own timeout. */
export function timeoutError(
  copy: AxiosCopy,
  config: InternalAxiosRequestConfig,
  timeoutMs: number,
): AxiosError {
  const message = config.timeoutErrorMessage || `timeout of ${timeoutMs}ms exceeded`;
  const { ETIMEDOUT, ECONNABORTED } = copy.AxiosError;
  const code = config.transitional?.clarifyTimeoutError ? ETIMEDOUT : ECONNABORTED;
  return new copy.AxiosError(message, code, config);
}

type Listener = (reason: Cancel) => void;

/**
 * Cancels one attempt when its time is up, and forwards the caller's own token. It is a token because axios rejects
 * with a token's reason as it is, but with a CanceledError for any signal. The caller's signal stays in the config,
 * where axios follows it for as long as a streamed response is read.
 */
export class AttemptToken implements CancelToken {
  reason?: Cancel;
  readonly #callerToken: CancelToken | undefined;
  readonly #listeners: Set<Listener> = new Set();

  constructor(callerToken: CancelToken | undefined) {
    this.#callerToken = callerToken;
  }

  get promise(): Promise<Cancel> {
    return new Promise((resolve) => this.subscribe(resolve));
  }

  cancel(error: AxiosError): void {
    this.reason = error;
    for (const listener of [...this.#listeners]) listener(error);
  }

  throwIfRequested(): void {
    if (this.reason !== undefined) throw this.reason;
    this.#callerToken?.throwIfRequested();
  }

  subscribe(listener: Listener): void {
    if (this.reason !== undefined) {
      listener(this.reason);
      return;
    }
    this.#listeners.add(listener);
    this.#callerToken?.subscribe(listener);
  }

  unsubscribe(listener: Listener): void {
    this.#listeners.delete(listener);
    this.#callerToken?.unsubscribe(listener);
  }

  toAbortSignal(): AbortSignal {
    const controller = new AbortController();
    const abort = (reason: unknown): void => controller.abort(reason);
    this.subscribe(abort);
    return Object.assign(controller.signal, { unsubscribe: () => this.unsubscribe(abort) });
  }
}
