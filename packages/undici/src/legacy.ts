import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { ResponseHeaders } from './headers.ts';

type Raw = readonly (Buffer | readonly Buffer[])[];

/** A handler in the style before undici 7, which the `fetch` of Node 24 still has. */
export interface LegacyHandler {
  onConnect?(abort: (reason?: Error) => void, context: unknown): void;
  onUpgrade?(status: number, headers: Raw, socket: Duplex): void;
  onResponseStarted?(): void;
  onHeaders?(status: number, headers: Raw, resume: () => void, message?: string): boolean | undefined;
  onData?(chunk: Buffer): boolean | undefined;
  onComplete?(trailers: Raw): void;
  onError?(error: Error): void;
  onBodySent?(chunk: Buffer): void;
  onRequestSent?(): void;
}

/** The options of a request with such a handler, which knows no HTTP/2. */
export const NO_H2 = { allowH2: false };

/** True for a complete legacy handler, false for a handler that has both styles. */
export function isLegacy(handler: object): handler is LegacyHandler {
  const { onConnect, onError }: LegacyHandler = handler;
  return !('onRequestStart' in handler) && typeof onConnect === 'function' && typeof onError === 'function';
}

/** Names and values alternate. Built from `headers` if a dispatcher has no raw ones. */
function rawOf(raw: unknown, headers: ResponseHeaders): Raw {
  if (Array.isArray(raw)) return raw;
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().flatMap((one) => [Buffer.from(name, 'latin1'), Buffer.from(one, 'latin1')]),
  );
}

/** Adapts a legacy handler to the current interface. */
export function modernHandler(handler: LegacyHandler): Dispatcher.DispatchHandler {
  const wrapped: Dispatcher.DispatchHandler = {
    onRequestStart(controller, context) {
      handler.onConnect?.((reason) => controller.abort(reason as Error), context);
    },
    onRequestUpgrade(controller, status, headers, socket) {
      handler.onUpgrade?.(status, rawOf(controller.rawHeaders, headers), socket);
    },
    onResponseStart(controller, status, headers, message) {
      const raw = rawOf(controller.rawHeaders, headers);
      const more = handler.onHeaders?.(status, raw, () => controller.resume(), message);
      // An informational response has no body to hold back.
      if (more === false && status >= 200) controller.pause();
    },
    onResponseData(controller, chunk) {
      if (handler.onData?.(chunk) === false) controller.pause();
    },
    onResponseEnd(controller, trailers) {
      handler.onComplete?.(rawOf(controller.rawTrailers, trailers));
    },
    onResponseError(_, error) {
      handler.onError?.(error);
    },
    onResponseStarted() {
      handler.onResponseStarted?.();
    },
  };
  if (handler.onBodySent) wrapped.onBodySent = (chunk) => handler.onBodySent?.(chunk);
  if (handler.onRequestSent) wrapped.onRequestSent = () => handler.onRequestSent?.();
  return wrapped;
}
