import { HookError } from '@ebb/core';
import type { BodyFactory } from '../init.ts';
import { cancelUpload, isNodeReadable, isOnce, isWebReadable } from './kinds.ts';

/** A body that a factory has made for one attempt. */
export interface MadeBody {
  /** What the base fetch is given. */
  readonly body: BodyInit;
  readonly isOnce: boolean;
  /** Whether it may hold something open: a file, a connection. */
  readonly isOpen: boolean;
  /** Closes what it is read from, if the attempt has left it open. */
  close(): void;
}

/**
 * Calls a body factory.
 *
 * @throws HookError when it throws
 */
export async function makeBody(factory: BodyFactory): Promise<MadeBody> {
  let body: BodyInit;
  try {
    body = await factory();
  } catch (cause) {
    throw new HookError('body', cause);
  }
  if (isWebReadable(body) && !body.locked) return relay(body);
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

/** What reads a web stream locks it, and may leave it so for ever: read through another it can be closed. */
function relay(source: ReadableStream<Uint8Array>): MadeBody {
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
