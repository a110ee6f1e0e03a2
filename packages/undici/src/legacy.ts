import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { ResponseHeaders } from './headers.ts';

type Raw = readonly (Buffer | readonly Buffer[])[];

/** A handler as undici knew it up to version 7, and as the `fetch` of Node 24 has it. */
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

const NEEDED: readonly (keyof LegacyHandler)[] = ['onConnect', 'onError'];

/** Whether it is a whole legacy handler, and not one that knows both ways. */
export function isLegacy(handler: LegacyHandler): boolean {
  return !('onRequestStart' in handler) && NEEDED.every((name) => typeof handler[name] === 'function');
}

/** Names and values one after the other, as they came; or put together where they are known only by name. */
function rawOf(raw: unknown, headers: ResponseHeaders): Raw {
  if (Array.isArray(raw)) return raw as Raw;
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().flatMap((one) => [Buffer.from(name, 'latin1'), Buffer.from(one, 'latin1')]),
  );
}

/** Lets a legacy handler be called as one of today. */
export function modern(handler: LegacyHandler): Dispatcher.DispatchHandler {
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
      // An informational response has no body to wait with.
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
