import type { Dispatcher } from 'undici';
import type { Dispatch } from '../rivals/rival.ts';

export const REQUEST = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;

export const controller = {
  paused: false,
  aborted: false,
  reason: null,
  rawHeaders: null,
  rawTrailers: null,
  pause() {},
  resume() {},
  abort() {},
};

/** Calls the handler of a dispatch as undici does, in the same turn. */
export function respond(handler: Dispatcher.DispatchHandler, status: number): boolean {
  handler.onRequestStart?.(controller, undefined);
  handler.onResponseStart?.(controller, status, {}, '');
  handler.onResponseEnd?.(controller, {});
  return true;
}

export const responding: Dispatch = (_, handler) => respond(handler, 200);

/** A handler with nothing to do. */
export class Downstream implements Dispatcher.DispatchHandler {
  onRequestStart(): void {}
  onResponseStart(): void {}
  onResponseData(): void {}
  onResponseEnd(): void {}
  onResponseError(): void {}
}
