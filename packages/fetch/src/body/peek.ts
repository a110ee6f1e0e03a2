import { isWebReadable, type Peek } from '@ebb/core/adapter';

/**
 * Opens a clone of a response, so that the response keeps its body. `undefined` for a response without a body, and for a
 * mock that cannot be cloned.
 */
export function peekAt(response: Response): Peek | undefined {
  const reader = readerOf(response);
  if (reader === undefined) return undefined;
  return {
    read: async () => {
      const { done, value } = await reader.read();
      return done ? undefined : value;
    },
    stop: () => void reader.cancel().catch(() => undefined),
  };
}

function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> | undefined {
  try {
    if (typeof response.clone !== 'function' || !response.body) return undefined;
    const { body } = response.clone();
    return isWebReadable(body) ? body.getReader() : undefined;
  } catch {
    return undefined;
  }
}
