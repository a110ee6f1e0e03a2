import { nextTurn } from '@ebb/core/adapter';
import type { BodyUse } from './body-use.ts';
import type { Later } from './shared-timer.ts';

/** How much of a body that no one has asked for is read, and so kept for the one who does. */
export const MOST_READ_AHEAD_BYTES: number = 64 * 1024;

/**
 * Reads a clone of a response whose body no one has asked for: a short one has arrived, and its connection serves
 * others. Ends the use of the body if it comes to the end within bounds, and else leaves it as it was.
 *
 * Holds the clone's body, and never the response, which else would not be collected.
 */
export function readAhead(copy: Response, use: BodyUse, limit: Later): void {
  const reader = (copy.body as ReadableStream<Uint8Array>).getReader();
  let isStopped = false;
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  const stop = (): void => {
    if (isStopped) return;
    isStopped = true;
    callOff();
    // The body of a request that is aborted ends by itself. To cancel a branch of it before it has done so makes a
    // rejection in Node 22 that no one can handle.
    if (use.isOver) void nextTurn().then(cancel);
    else cancel();
  };
  const callOff = limit.add(stop);
  use.readsAhead(stop);
  void read(reader, use, stop, () => isStopped);
}

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  use: BodyUse,
  stop: () => void,
  isStopped: () => boolean,
): Promise<void> {
  try {
    let bytes = 0;
    for (;;) {
      const part = await reader.read();
      if (isStopped()) return;
      if (part.done) break;
      bytes += part.value.byteLength;
      if (bytes > MOST_READ_AHEAD_BYTES) return stop();
    }
  } catch {
    // It broke: that ends it as well.
  }
  // Which stops it as well.
  if (!isStopped()) use.end();
}
