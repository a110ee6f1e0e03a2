import { HookError } from '@ebb/core';
import { isNodeReadable, isWebReadable } from '@ebb/core/adapter';
import type { BodyFactory } from '../init.ts';
import { cancelUpload, isOnce } from './kinds.ts';

/** A body that a factory made for one attempt. */
export interface MadeBody {
  /** The body for the base fetch. */
  readonly body: BodyInit;
  /** True if it is read as it is sent. */
  readonly isOnce: boolean;
  /** True if its source, such as a file, may still be open. */
  readonly isOpen: boolean;
  /** Closes the source. */
  close(): void;
}

/**
 * Calls a body factory.
 *
 * @throws HookError if the factory throws
 */
export async function makeBody(factory: BodyFactory): Promise<MadeBody> {
  let body: BodyInit;
  try {
    body = await factory();
  } catch (cause) {
    throw new HookError('body', cause);
  }
  if (isWebReadable(body) && !body.locked) return closable(body);
  return {
    body,
    isOnce: isOnce(body),
    get isOpen() {
      if (isNodeReadable(body)) return !body.destroyed && !body.readableEnded;
      return isOnce(body);
    },
    close: () => cancelUpload(body),
  };
}

/** Reads a web stream through another one. The base fetch locks the outer stream; the source can still be cancelled. */
function closable(source: ReadableStream<Uint8Array>): MadeBody {
  const reader = source.getReader();
  let isOpen = true;
  const close = (reason?: unknown): Promise<void> => {
    isOpen = false;
    return reader.cancel(reason);
  };
  const body = new ReadableStream(
    {
      async pull(controller) {
        const part = await reader.read();
        if (!part.done) return controller.enqueue(part.value);
        isOpen = false;
        controller.close();
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
  return {
    body,
    isOnce: true,
    get isOpen() {
      return isOpen;
    },
    close: () => void close().catch(() => undefined),
  };
}
