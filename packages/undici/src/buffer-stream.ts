import type { ReadHeader } from '@ebb/core/adapter';
import { type EventHooks, EventStream, isCoded, isEventStream, prose } from '@ebb/core/resuming';
import { type RequestHeaders, type ResponseHead, requestHeader } from './headers.ts';
import { readerOf } from './resume.ts';

/** What the body of a response can be resumed by: `'coded'` if it is an event stream that cannot be read; `undefined` for others. */
export function streamOf(
  { status, headers }: ResponseHead,
  requestHeaders: RequestHeaders,
  hooks: EventHooks,
): EventStream | 'coded' | undefined {
  const header = readerOf(headers);
  if (!isEventStream(status, header)) return undefined;
  if (isCoded(header)) return 'coded';
  return new BufferStream(requestHeader(requestHeaders, 'last-event-id'), hooks);
}

/** Handlers expect Buffers. */
class BufferStream extends EventStream {
  override take(part: Uint8Array): readonly Buffer[] {
    return super.take(part).map(bufferOf);
  }

  override mismatch(status: number, header: ReadHeader): string | undefined {
    return isCoded(header) ? (prose('another content coding') ?? '') : super.mismatch(status, header);
  }

  override left(): readonly Buffer[] {
    return super.left().map(bufferOf);
  }
}

function bufferOf(part: Uint8Array): Buffer {
  return part instanceof Buffer ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength);
}
