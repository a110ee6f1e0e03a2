import { nextTurn } from '../../base/clock.ts';
import { MOST_READ_AHEAD_BYTES } from '../../http/body.ts';
import type { BodyUse } from './body-use.ts';

/** The longest time for reading ahead, in milliseconds. */
const LONGEST_READ_AHEAD_MS = 5_000;

/**
 * Reads a clone of a response whose body is not being read. If it reaches the end within bounds, the connection is free,
 * and the use of the body ends; otherwise nothing changes. The response itself can still be read.
 *
 * Hazard: this must not hold the response, which could then never be garbage-collected.
 */
export function readAhead(copy: Response, use: BodyUse): void {
  const reader = (copy.body as ReadableStream<Uint8Array>).getReader();
  let isStopped = false;
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  const stop = (): void => {
    if (isStopped) return;
    isStopped = true;
    cancelTimer();
    // An abort ends the body by itself. In Node 22, cancelling a branch of it before that causes a rejection that cannot
    // be handled.
    if (use.isOver) void nextTurn().then(cancel);
    else cancel();
  };
  const cancelTimer = use.clock.schedule(stop, LONGEST_READ_AHEAD_MS, true);
  use.stopReadingAhead = stop;
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
    // A body that breaks has ended as well.
  }
  // This calls `stop`.
  if (!isStopped()) use.end();
}
