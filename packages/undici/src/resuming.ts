import type { Resumable } from '@ebb/core/adapter';
import { EventStream, isEventStream } from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import { type ResponseHeaders, requestHeader } from './headers.ts';
import { readerOf } from './resume.ts';

/**
 * The `resume` of {@link ebbInterceptor} for event streams that break: a GET with a 200, `text/event-stream` and no content coding.
 * Whole events are passed on, and an unfinished one is kept back, up to 1 MiB; the GET is sent again with `Last-Event-ID`.
 *
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/undici';
 * import { eventStreams } from '@ebb/undici/resuming';
 * import { Agent } from 'undici';
 *
 * const dispatcher = new Agent().compose(ebbInterceptor({ maxRetries: 100 }, { resume: eventStreams }));
 * ```
 */
export function eventStreams(
  { method, headers }: Dispatcher.DispatchOptions,
  status: number,
  responseHeaders: ResponseHeaders,
): Resumable | undefined {
  const header = readerOf(responseHeaders);
  // What is compressed cannot be read here.
  const isPlain = header('content-encoding') === undefined;
  const isRead = String(method).toUpperCase() === 'GET' && isPlain && isEventStream(status, header);
  return isRead ? new BufferStream(requestHeader(headers, 'last-event-id'), {}) : undefined;
}

/** Handlers expect Buffers. */
class BufferStream extends EventStream {
  override take(part: Uint8Array): readonly Buffer[] {
    return super.take(part).map(bufferOf);
  }

  override left(): readonly Buffer[] {
    return super.left().map(bufferOf);
  }
}

function bufferOf(part: Uint8Array): Buffer {
  return part instanceof Buffer ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength);
}
