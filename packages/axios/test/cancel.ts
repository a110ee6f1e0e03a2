import { EventEmitter, getEventListeners, once } from 'node:events';
import type { PolicyOptions } from '@ebb/core';
import axios, { type AxiosRequestConfig, type CancelToken } from 'axios';

export const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

export const listenersOn = (token: CancelToken): number =>
  (token as unknown as { _listeners?: unknown[] })._listeners?.length ?? 0;

/** A request that a test can cancel. */
interface Cancelable {
  readonly config: AxiosRequestConfig;
  abort(reason: Error): void;
  /** How many listeners are left on the caller's signal and token. */
  listeners(): number;
}

/** The ways in which a caller can cancel a request. */
export const waysToCancel: readonly (readonly [way: string, make: () => Cancelable])[] = [
  [
    'signal',
    () => {
      const controller = new AbortController();
      return {
        config: { signal: controller.signal },
        abort: (reason) => controller.abort(reason),
        listeners: () => listenersOf(controller.signal),
      };
    },
  ],
  [
    'cancelToken',
    () => {
      const { token, cancel } = axios.CancelToken.source();
      return {
        config: { cancelToken: token },
        abort: (reason) => cancel(reason.message),
        listeners: () => listenersOn(token),
      };
    },
  ],
  [
    'signal beside a cancelToken',
    () => {
      const { token } = axios.CancelToken.source();
      const controller = new AbortController();
      return {
        config: { signal: controller.signal, cancelToken: token },
        abort: (reason) => controller.abort(reason),
        listeners: () => listenersOf(controller.signal) + listenersOn(token),
      };
    },
  ],
  [
    'cancelToken beside a signal',
    () => {
      const { token, cancel } = axios.CancelToken.source();
      const { signal } = new AbortController();
      return {
        config: { signal, cancelToken: token },
        abort: (reason) => cancel(reason.message),
        listeners: () => listenersOf(signal),
      };
    },
  ],
];

/** An `onEvent`, and a promise of the next event of a type. */
export function watchEvents(): {
  readonly onEvent: NonNullable<PolicyOptions['onEvent']>;
  next(type: string): Promise<unknown>;
} {
  const emitter = new EventEmitter();
  return {
    onEvent: (event) => emitter.emit(event.type, event),
    next: (type) => once(emitter, type),
  };
}
