import type { Clock } from '@ebb/core';

/**
 * The next part of a body; `undefined` at its end. Rejects after a silence of `idleMs` milliseconds, and closes the connection.
 *
 * @param timedOut called after such a silence
 */
export function idleRead(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  clock: Clock,
  idleMs: number | undefined,
  timedOut: () => void,
): Promise<Uint8Array | undefined> {
  const reading = reader.read().then(({ value }) => value);
  if (idleMs === undefined) return reading;
  return new Promise((resolve, reject) => {
    const timeOut = (): void => {
      timedOut();
      const error = new DOMException(`nothing arrived for ${idleMs} ms`, 'TimeoutError');
      reject(error);
      reader.cancel(error).catch(() => undefined);
    };
    const callOff = clock.schedule(timeOut, idleMs);
    reading.then(resolve, reject);
    reading.then(callOff, callOff);
  });
}
