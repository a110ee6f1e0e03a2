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
