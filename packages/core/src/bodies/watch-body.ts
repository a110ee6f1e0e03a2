import { bufferBytes, isNodeReadable, isWebReadable } from '../http/body.ts';
import type { BodyContext, BodyWatcher, Opened, Peek } from '../http/peek.ts';
import { whenBodyEnds } from './body-end.ts';
import { interceptorOf, nativeBody } from './intercept-body.ts';
import { NodePeek } from './node-peek.ts';
import { peekAtNodeFetch } from './opened.ts';
import { bytesOf } from './peeks.ts';
import { WatchedBody } from './watched-body.ts';
import { watchedStream } from './watched-stream.ts';

/**
 * Watches the body of a response as it passes on its way to the caller: the same bytes, read when the caller reads them.
 *
 * @param ended called once or more: when the body has ended, failed, was cancelled or garbage-collected; at once if there is
 * none, or if its client does not show it. It must not hold the response, which could then never be collected
 */
export function watchBody(
  opened: Opened,
  context: BodyContext,
  watcher: BodyWatcher,
  ended: () => void,
): void {
  if (opened === undefined) ended();
  else if ('read' in opened) watchPeek(opened, watcher, ended);
  else if ('replace' in opened) watchData(opened, watcher, ended);
  else if (isNodeReadable(nativeBody(opened as unknown as Response))) {
    watchPeek(peekAtNodeFetch(opened), watcher, ended);
  } else {
    whenBodyEnds(opened, context, ended);
    const interceptor = interceptorOf(opened as unknown as Response);
    if (interceptor instanceof WatchedBody) interceptor.watcher = both(interceptor.watcher, watcher);
  }
}

/** A layer below may watch the same response. */
function both(before: BodyWatcher | undefined, watcher: BodyWatcher): BodyWatcher {
  if (before === undefined) return watcher;
  const part = (passed: Uint8Array | string): void => {
    before.part(passed);
    watcher.part(passed);
  };
  return { part };
}

function watchPeek(peek: Peek | undefined, watcher: BodyWatcher, ended: () => void): void {
  if (peek?.watch === undefined) ended();
  else peek.watch(watcher, ended);
}

/** A body as a client has read it. */
function watchData(
  { data, replace }: Extract<Opened, { replace: unknown }>,
  watcher: BodyWatcher,
  ended: () => void,
): void {
  if (isNodeReadable(data)) {
    watchPeek(NodePeek.at(data, replace), watcher, ended);
    return;
  }
  if (isWebReadable(data) && !data.locked) {
    const observer = {
      taken: () => undefined,
      part: (part: Uint8Array) => watcher.part(part),
      ended,
      cancelled: ended,
    };
    replace(watchedStream(data, () => data, undefined, observer).stream);
    return;
  }
  const tag = Object.prototype.toString.call(data);
  if (tag === '[object Blob]' || tag === '[object File]') {
    void (data as Blob)
      .arrayBuffer()
      .then((bytes) => watcher.part(new Uint8Array(bytes)))
      .then(ended, ended);
    return;
  }
  if (typeof data === 'string') watcher.part(data);
  else if (bufferBytes(data) !== undefined) watcher.part(bytesOf(data));
  else if (tag === '[object Object]' || tag === '[object Array]') watcher.part(JSON.stringify(data));
  ended();
}
