import { bufferBytes } from '../http/body.ts';
import type { Peek } from '../http/peek.ts';

/** A part of a body as bytes: text in UTF-8, a buffer or a view of one. None for anything else. */
export function bytesOf(part: unknown): Uint8Array {
  if (typeof part === 'string') return new TextEncoder().encode(part);
  // By shape: a test runner may give each test file a `Uint8Array` of its own.
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  return bufferBytes(part) === undefined ? new Uint8Array() : new Uint8Array(part as ArrayBuffer);
}

/** A look at a web stream, which must be a copy: a branch of a tee, or the body of a clone. */
export function peekAtWeb(copy: ReadableStream<unknown>): Peek {
  const reader = copy.getReader();
  return {
    async read() {
      const { done, value } = await reader.read();
      return done ? undefined : bytesOf(value);
    },
    // Not awaited: cancelling one branch waits for the other.
    stop: () => void reader.cancel().catch(() => undefined),
  };
}

/** A look at a body that is in memory. */
export function peekAtPart(part: () => Uint8Array | Promise<Uint8Array>): Peek {
  let isRead = false;
  return {
    async read() {
      if (isRead) return undefined;
      isRead = true;
      return part();
    },
    stop: () => undefined,
  };
}
