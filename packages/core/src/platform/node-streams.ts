/** The part of a Node stream that ebb reads. */
interface NodeReadable {
  readonly destroyed?: boolean;
  readonly readableEnded?: boolean;
  on(event: string, listener: (part?: unknown) => void): unknown;
  destroy?(error?: Error): unknown;
}

/**
 * Reads a Node stream. Resolves with true if it was read to its end.
 *
 * @param bound called with a function that destroys the stream
 * @param isFew told each part; false once there are too many
 */
export function readNode(
  stream: NodeReadable,
  bound: (breakOff: () => void) => void,
  isFew: (part: unknown) => boolean,
): Promise<boolean> {
  return new Promise((resolve) => {
    const breakOff = (): void => {
      stream.destroy?.();
      resolve(false);
    };
    // Never removed: a stream may still emit an error after it was destroyed.
    stream.on('error', () => resolve(false));
    stream.on('close', () => resolve(false));
    stream.on('end', () => resolve(true));
    bound(breakOff);
    if (stream.destroyed || stream.readableEnded) return resolve(stream.readableEnded === true);
    stream.on('data', (part) => {
      if (!isFew(part)) breakOff();
    });
  });
}
