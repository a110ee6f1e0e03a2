import type { Clock } from '@ebb/core';
import { isNodeReadable, isWebReadable, onAbort } from '@ebb/core/adapter';
import { responseHeader } from '../headers.ts';
import { BodyUse } from './body-use.ts';
import { interceptorOf } from './intercept-body.ts';
import { whenNodeBodyEnds } from './node-body.ts';
import { WatchedBody } from './watched-body.ts';

/** What the end of a body depends on besides the response. */
export interface BodyContext {
  /** Upper case. */
  readonly method: string;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** True if there is no body by definition: some runtimes have a stream even then. */
function isEmpty(response: Response, method: string): boolean {
  const { status } = response;
  if (method === 'HEAD' || status === 204 || status === 205 || status === 304) return true;
  return responseHeader(response.headers, 'content-length') === '0';
}

/**
 * Calls `ended` once the body of a response no longer uses its connection: when it has ended, failed, was cancelled or
 * garbage-collected; at once if there is no body. The response stays the same object.
 */
export function whenBodyEnds(settled: unknown, context: BodyContext, ended: () => void): void {
  try {
    if (!watch(settled as Response, context, ended)) ended();
  } catch {
    // A mock whose members throw has no connection.
    ended();
  }
}

/** Returns false if there is no body to watch. */
function watch(response: Response, { method, signal, clock }: BodyContext, ended: () => void): boolean {
  if (typeof response !== 'object' || response === null) return false;
  const interceptor = interceptorOf(response);
  if (interceptor instanceof WatchedBody) {
    // A base fetch may return the same response twice.
    interceptor.use.onEnd(ended);
    return true;
  }
  if (interceptor !== undefined || signal?.aborted || isEmpty(response, method)) return false;
  const { body } = response;
  const isNode = isNodeReadable(body);
  if (!isNode && !isWebReadable(body)) return false;
  const use = new BodyUse(ended);
  // An abort closes the connection, whether or not the body is being read.
  if (signal !== undefined) use.onEnd(onAbort(signal, () => use.end()));
  if (isNode) whenNodeBodyEnds(body, clock, use);
  else new WatchedBody(response, use, clock);
  return true;
}
