import { Readable } from 'node:stream';

/** @param failing if given, the stream has no text, and fails with what this rejects with */
export function nodeStream(text: string, failing?: Promise<never>): unknown {
  if (!failing) return Readable.from([Buffer.from(text)]);
  const stream = new Readable({ read: () => undefined });
  failing.catch((error: Error) => stream.destroy(error));
  return stream;
}
