import { isWebReadable } from './kinds.ts';

/** What the reader of a stream reports. */
export interface Sight {
  /** Someone has begun to read. */
  taken(): void;
  /** It has come to its end, or to an error. */
  ended(): void;
  /** It was cancelled; the connection is gone when `gone` settles. */
  cancelled(gone: Promise<unknown>): void;
}

/** A stream that tells how it is read. */
export interface SeenStream {
  readonly stream: ReadableStream;
  /** Takes hold of the source, so that no one else can read it. */
  lock(): void;
  /** Takes hold of the stream itself, so that no one can read it: the source is read in another way. */
  shut(): void;
}

function isByteStream(stream: ReadableStream): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/**
 * A stream that reads another, and tells how it is read. It is of the same kind, so that chunks go through as they
 * are; and it takes hold of the other only when it is read, so that until then both can be given to others.
 *
 * @param source the stream to read, asked for when the reading begins: a clone may have changed it by then
 * @param length how many bytes there will be, if that is known: who has them all may never ask for the end
 */
export function seenStream(
  first: ReadableStream,
  source: () => unknown,
  length: number | undefined,
  sight: Sight,
): SeenStream {
  let bytes = 0;
  let controller: ReadableStreamDefaultController | ReadableByteStreamController;
  let reader: ReadableStreamDefaultReader | undefined;
  let isPulling = false;
  /** Whether the source has closed; what it held may still be on its way to us. */
  let isClosed = false;
  let isCancelled = false;

  const close = (): void => {
    controller.close();
    (controller as ReadableByteStreamController).byobRequest?.respond(0);
  };
  const lock = (): ReadableStreamDefaultReader => {
    if (reader !== undefined) return reader;
    const locked = (source() as ReadableStream).getReader();
    reader = locked;
    sight.taken();
    // Also tells those who hold a reader and do not read.
    locked.closed.then(
      () => {
        if (isCancelled) return;
        sight.ended();
        if (isClosed) return;
        isClosed = true;
        if (!isPulling) close();
      },
      (error: unknown) => {
        sight.ended();
        controller.error(error);
      },
    );
    return locked;
  };
  const underlying = {
    start(own: typeof controller) {
      controller = own;
    },
    async pull(): Promise<void> {
      isPulling = true;
      try {
        const part = await lock().read();
        if (isCancelled) return;
        bytes += part.value?.byteLength ?? 0;
        if (part.done || bytes === length) sight.ended();
        if (!part.done) controller.enqueue(part.value);
        if (part.done || isClosed) {
          isClosed = true;
          close();
        }
      } catch (error) {
        if (reader !== undefined) sight.ended();
        throw error;
      } finally {
        isPulling = false;
      }
    },
    async cancel(reason: unknown): Promise<void> {
      isCancelled = true;
      const body = reader ?? source();
      const gone =
        isWebReadable(body) || reader !== undefined ? (body as ReadableStream).cancel(reason) : undefined;
      sight.cancelled(Promise.resolve(gone));
      await gone;
    },
  };
  const stream = isByteStream(first)
    ? new ReadableStream({ ...underlying, type: 'bytes' } as UnderlyingByteSource)
    : new ReadableStream(underlying, { highWaterMark: 0 });
  const native = stream.getReader;
  const getReader = function getReader(this: ReadableStream, ...options: []) {
    const own = native.apply(this, options);
    try {
      lock();
    } catch (error) {
      // Someone else reads the source already.
      controller.error(error);
    }
    return own;
  };
  Object.defineProperty(stream, 'getReader', { value: getReader, configurable: true, writable: true });
  return {
    stream,
    lock: () => void lock(),
    shut: () => void (stream.locked || native.call(stream)),
  };
}
