import type { RequestTraits } from '../http/outcome.ts';
import type { CallPolicy } from './call-view.ts';

/** A call, as middleware sees it. */
export interface MiddlewareCall {
  readonly request: RequestTraits;
  /** With the clock to use. */
  readonly policy: CallPolicy;
  /** Aborts when the caller no longer waits: with its signal, or with the total timeout if nothing was sent until then. */
  readonly signal: AbortSignal;
}

/**
 * Stands around a whole call, before anything is taken or sent: a cache, a fallback, a stale value after an error. It returns a result of the
 * client for the caller, such as a `Response`, or what `next()` returns. `undefined` stands for the result of `next()`.
 *
 * @param next makes the call go on. A second call of it returns the same promise
 * @example
 * ```ts
 * import type { Middleware } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const fallback: Middleware<Response> = async (call, next) => {
 *   const response = await next();
 *   if (response.status !== 503) return response;
 *   await response.body?.cancel();
 *   return Response.json([]);
 * };
 * const fetch = createFetch({ middleware: [fallback] });
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: a policy does not know the results of its clients
export type Middleware<T = any> = (
  call: MiddlewareCall,
  next: () => Promise<T>,
) => T | undefined | PromiseLike<T | undefined>;

/** Middleware that sends the call itself: no other stands within it. */
export interface InnermostMiddleware extends Middleware {
  readonly isInnermost: true;
}

/** The outermost first. */
export function inOrder(all: readonly Middleware[]): readonly Middleware[] {
  const isInnermost = (one: Middleware): boolean => 'isInnermost' in one;
  return [...all.filter((one) => !isInnermost(one)), ...all.filter(isInnermost)];
}
