import { onAbort } from '../base/on-abort.ts';
import { responseHeader } from '../http/any-headers.ts';
import { isNodeReadable, isWebReadable } from '../http/body.ts';
import type { BodyContext } from '../http/peek.ts';
import { interceptorOf, isNative } from './intercept-body.ts';
import { watchUnread, whenNodeBodyEnds } from './unread.ts';
import { BodyUse, WatchedBody } from './watched-body.ts';

/** True if there is no body by definition: some runtimes have a stream even then. */
function isEmpty({ method, status }: BodyContext): boolean {
  return method === 'HEAD' || status === 204 || status === 205 || status === 304;
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

/**
 * Cache: responses with this prototype have web streams. It avoids reading `body`, which takes as long as all the rest; a wrong
 * guess is noticed a turn later.
 */
let withWebStream: object | null | undefined;

/** Returns false if there is no body to watch. */
function watch(response: Response, context: BodyContext, ended: () => void): boolean {
  if (typeof response !== 'object' || response === null) return false;
  const prototype: object | null = Object.getPrototypeOf(response);
  // One that is watched has another prototype.
  if (prototype !== withWebStream) {
    const interceptor = interceptorOf(response);
    if (interceptor instanceof WatchedBody) {
      // A base fetch may return the same response twice.
      interceptor.use.onEnd(ended);
      return true;
    }
    if (interceptor !== undefined) return false;
  }
  if (context.signal?.aborted || isEmpty(context)) return false;
  if (prototype !== withWebStream) {
    const { body } = response;
    if (isNodeReadable(body)) {
      if (responseHeader(response.headers, 'content-length') === '0') return false;
      whenNodeBodyEnds(body, useOf(body, context, ended));
      return true;
    }
    if (!isWebReadable(body)) return false;
    if (isNative(prototype)) withWebStream = prototype;
  }
  const use = useOf(response, context, ended);
  new WatchedBody(response, use);
  watchUnread(use);
  return true;
}

function useOf(branch: object, context: BodyContext, ended: () => void): BodyUse {
  const use = new BodyUse(branch, context, ended);
  const { signal } = context;
  // An abort closes the connection, whether or not the body is being read.
  if (signal !== undefined) use.onEnd(onAbort(signal, () => use.end()));
  return use;
}
