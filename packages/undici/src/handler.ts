import type { Dispatcher } from 'undici';
import type { ResponseHeaders } from './headers.ts';
import type { Connection } from './held.ts';

/** The caller's handler. It gets any value that was thrown, and no controller if nothing was sent, as from undici. */
export interface Handler
  extends Omit<
    Dispatcher.DispatchHandler,
    'onResponseStart' | 'onResponseData' | 'onResponseEnd' | 'onResponseError' | 'onBodySent'
  > {
  onResponseStart?(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
    message?: string,
  ): void;
  onResponseData?(controller: Dispatcher.DispatchController, chunk: Uint8Array): void;
  onResponseEnd?(controller: Dispatcher.DispatchController, trailers: ResponseHeaders): void;
  onResponseError?(controller: Connection, error: unknown): void;
  onBodySent?(chunk: Buffer | string): void;
  /** That of undici's redirect interceptor. */
  readonly history?: unknown;
}

/** The methods that undici 8 checks: those for any request. */
const METHODS = [
  'onResponseStart',
  'onResponseData',
  'onResponseEnd',
  'onRequestUpgrade',
  'onBodySent',
  'onRequestSent',
] as const satisfies readonly (keyof Handler)[];

function isMethodOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'function';
}

/** True if a request finds all of its methods. Every request asks, and a look-up by a variable name is slow. */
function isComplete(handler: Handler, { upgrade, method }: Dispatcher.DispatchOptions): boolean {
  if (!isMethodOrNone(handler.onBodySent) || !isMethodOrNone(handler.onRequestSent)) return false;
  if (upgrade || method === 'CONNECT') return typeof handler.onRequestUpgrade === 'function';
  return (
    typeof handler.onResponseStart === 'function' &&
    typeof handler.onResponseData === 'function' &&
    typeof handler.onResponseEnd === 'function'
  );
}

/**
 * Hides the methods of `attempt` that `handler` lacks. undici 8 checks a handler when it takes a request, and so
 * reports the same error as without ebb; undici 7 does not check.
 *
 * @returns restores the attempt's own methods, before the request starts; `undefined` if nothing is lacking
 */
export function hideMissingMethods(
  handler: Handler,
  options: Dispatcher.DispatchOptions,
  attempt: Dispatcher.DispatchHandler,
): (() => void) | undefined {
  if (isComplete(handler, options)) return undefined;
  const gaps = METHODS.filter((name) => typeof handler[name] !== 'function');
  // Own properties, which hide the methods of the class until they are deleted.
  for (const name of gaps) Object.assign(attempt, { [name]: handler[name] });
  return () => {
    for (const name of gaps) delete attempt[name];
  };
}
