import { isNodeReadable } from '../http/body.ts';
import { missing, type SetAside } from './set-aside.ts';
import { streamOver } from './stream-over.ts';

interface NodeStreams {
  readonly Readable: new (options: {
    objectMode: boolean;
    highWaterMark: number;
    read(this: { push(part: unknown): void; destroy(error: unknown): void }): void;
  }) => object;
}

interface NodeLike {
  readonly process?: { getBuiltinModule?(id: 'node:stream'): NodeStreams | undefined };
}

/** A Node stream with these parts, which then ends, or fails with the error if there is one. */
export function nodeStream(parts: readonly unknown[], error: unknown, objectMode: boolean): unknown {
  // Not imported: browsers have no such module.
  const { Readable } = (globalThis as NodeLike).process?.getBuiltinModule?.('node:stream') ?? {};
  if (Readable === undefined) return webStream(parts, error);
  let next = 0;
  const stream = new Readable({
    objectMode,
    // Nothing is read ahead: an error would discard the parts before it.
    highWaterMark: 0,
    read() {
      if (next < parts.length) this.push(parts[next++]);
      else if (error === undefined) this.push(null);
      else this.destroy(error);
    },
  });
  // No connection is behind it, and node-fetch does not read one whose body has broken.
  return Object.assign(stream, { complete: true });
}

/** The same as a web stream. */
function webStream(parts: readonly unknown[], error: unknown): ReadableStream<unknown> {
  let next = 0;
  const pull = async (): Promise<Uint8Array | undefined> => {
    if (next === parts.length && error !== undefined) throw error;
    return parts[next++] as Uint8Array | undefined;
  };
  return streamOver({ pull, cancel: () => undefined }, false);
}

/** A stream of the same kind as `body`, with what was kept of it. If that is not all, reading it fails with the reason. */
export function restored(body: unknown, aside: SetAside): unknown {
  const { parts } = aside;
  const error = missing(aside);
  if (!isNodeReadable(body)) return webStream(parts, error);
  return nodeStream(parts, error, body.readableObjectMode === true);
}
