import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { ResponseHeaders } from './headers.ts';

/** The controller of one attempt. It takes any value that was thrown as the reason. */
type AttemptController = Omit<Dispatcher.DispatchController, 'abort'> & { abort(reason: unknown): void };

/** Made by the dispatcher; a mock may have none. */
export type Connection = AttemptController | null | undefined;

/**
 * True if nothing has answered on a connection before undici started the request on another: undici itself repeats streams that an
 * HTTP/2 server has not processed. Version 8 makes a controller for each start, and notes the headers of the response there.
 */
export function isUnanswered(before: Connection, now: Connection): boolean {
  return before !== now && Object.hasOwn(before ?? {}, 'rawHeaders') && before?.rawHeaders === null;
}

/** A source of response data that can be paused. */
export type DataSource = Pick<Dispatcher.DispatchController, 'pause' | 'resume'>;

/**
 * The caller's handler, which has the two methods that undici asks for. It gets any value that was thrown, and no controller if nothing
 * was sent, as from undici.
 */
export interface Handler
  extends Omit<
    Dispatcher.DispatchHandler,
    | 'onRequestStart'
    | 'onResponseStart'
    | 'onResponseData'
    | 'onResponseEnd'
    | 'onResponseError'
    | 'onBodySent'
  > {
  onRequestStart(controller: Dispatcher.DispatchController, context: object): void;
  onResponseStart?(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
    message?: string,
  ): void;
  onResponseData?(controller: Dispatcher.DispatchController, chunk: Uint8Array): void;
  onResponseEnd?(controller: Dispatcher.DispatchController, trailers: ResponseHeaders): void;
  onResponseError(controller: Connection, error: unknown): void;
  onBodySent?(chunk: Buffer | string): void;
  /** The `history` of undici's redirect interceptor. */
  readonly history?: unknown;
}

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

/** True for a complete legacy handler, false for a handler that has both styles. */
function isLegacy(handler: object): handler is LegacyHandler {
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
function modernHandler(handler: LegacyHandler): Dispatcher.DispatchHandler {
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * A `dispatch` for `compose`, which requires a function of exactly two parameters. It takes handlers of both styles. Invalid options and
 * handlers go to `below`, because undici has its own errors for them.
 */
export function forHandlers(
  below: Dispatcher.Dispatch,
  start: (options: Dispatcher.DispatchOptions, handler: Handler) => boolean,
): Dispatcher.Dispatch {
  return function ebbDispatch(options, handler) {
    if (!isObject(options) || !isObject(handler)) return below(options, handler);
    if (typeof handler.onRequestStart === 'function' && typeof handler.onResponseError === 'function')
      return start(options, handler as Handler);
    if (!isLegacy(handler)) return below(options, handler);
    // They know no HTTP/2.
    const http1 = { ...options, allowH2: false };
    return start(http1, modernHandler(handler) as Handler);
  };
}
