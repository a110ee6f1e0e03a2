import { isNodeReadable, isWebReadable } from './body.ts';
import { responseIn } from './outcome.ts';

/**
 * Calls `ended` when the caller is through with the response in what an adapter settled with: at once where
 * axios has read it, else when its stream has ended, has failed or was given up.
 */
export function whenBodyEnds(settled: unknown, ended: () => void): void {
  const response = responseIn(settled);
  const data: unknown = response?.data;
  if (isNodeReadable(data) && !data.destroyed && !data.readableEnded) {
    // A stream that fails closes, too. To listen for its error would hide it from a caller who does not.
    data.on('end', ended);
    data.on('close', ended);
  } else if (response !== undefined && isWebReadable(data) && !data.locked) {
    response.data = telling(data, ended);
  } else {
    ended();
  }
}

/** The same stream, but it tells of its end, be it read or not. */
function telling(stream: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  void reader.closed.then(ended, ended);
  return new ReadableStream(
    {
      async pull(controller) {
        const part = await reader.read();
        if (part.done) controller.close();
        else controller.enqueue(part.value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
