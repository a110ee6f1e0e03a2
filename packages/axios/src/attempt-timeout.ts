import type { Clock } from '@ebb/core';
import type { AxiosError, AxiosResponse, Cancel, CancelToken, InternalAxiosRequestConfig } from 'axios';
import type { Copy } from './axios-copy.ts';
import { letGoOf } from './body/discard.ts';

/** One attempt that is bounded. */
interface Bounded {
  readonly limitMs: number;
  readonly clock: Clock;
  /** The instance's own, for its error. */
  readonly copy: Copy;
  readonly config: InternalAxiosRequestConfig;
  send(): Promise<AxiosResponse>;
  /** Called in the turn in which the limit has passed, before any listener hears of it. */
  giveUp(): void;
}

/**
 * Sends one attempt, and gives it up when the limit has passed.
 *
 * axios's own `timeout` would not do: its http adapter counts only until the headers and then only silence, so
 * that a body which trickles goes on for ever, and for a streamed response it goes on counting while the
 * caller reads.
 *
 * @throws AxiosError as axios has it for `timeout`
 */
export function sendWithin({ limitMs, clock, copy, config, send, giveUp }: Bounded): Promise<AxiosResponse> {
  const caller = config.cancelToken;
  const token = new AttemptToken(caller);
  config.cancelToken = token;
  const restore = (): void => {
    if (caller === undefined) delete config.cancelToken;
    else config.cancelToken = caller;
  };
  return new Promise((resolve, reject) => {
    let isLate = false;
    const callOff = clock.schedule(() => {
      isLate = true;
      const error = timeoutError(copy, config, limitMs);
      giveUp();
      // First, since an adapter that does not know of tokens goes on; no one waits for it any more.
      reject(error);
      token.cancel(error);
      restore();
    }, limitMs);
    const inTime = (): boolean => {
      if (isLate) return false;
      callOff();
      restore();
      return true;
    };
    new Promise<AxiosResponse>((settle) => settle(send())).then(
      (response) => (inTime() ? resolve(response) : void letGoOf(response, clock)),
      (error) => (inTime() ? reject(error) : void letGoOf(error, clock)),
    );
  });
}

function timeoutError(copy: Copy, config: InternalAxiosRequestConfig, limitMs: number): AxiosError {
  const message = config.timeoutErrorMessage || `timeout of ${limitMs}ms exceeded`;
  const { ETIMEDOUT, ECONNABORTED } = copy.AxiosError;
  const code = config.transitional?.clarifyTimeoutError ? ETIMEDOUT : ECONNABORTED;
  return new copy.AxiosError(message, code, config);
}

type Listener = (reason: Cancel) => void;

/**
 * Stops one attempt, or passes on the caller's own wish to stop. A token and not a signal, because axios hands
 * what a token is cancelled with on as it is, and makes a CanceledError of any signal; and so the caller's
 * signal stays in its place in the config, for as long as a streamed response is read.
 */
class AttemptToken implements CancelToken {
  reason?: Cancel;
  readonly #caller: CancelToken | undefined;
  readonly #listeners: Set<Listener> = new Set();

  constructor(caller: CancelToken | undefined) {
    this.#caller = caller;
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
    this.#caller?.throwIfRequested();
  }

  subscribe(listener: Listener): void {
    if (this.reason !== undefined) {
      listener(this.reason);
      return;
    }
    this.#listeners.add(listener);
    this.#caller?.subscribe(listener);
  }

  unsubscribe(listener: Listener): void {
    this.#listeners.delete(listener);
    this.#caller?.unsubscribe(listener);
  }

  toAbortSignal(): AbortSignal {
    const controller = new AbortController();
    const abort = (reason: unknown): void => controller.abort(reason);
    this.subscribe(abort);
    return Object.assign(controller.signal, { unsubscribe: () => this.unsubscribe(abort) });
  }
}
