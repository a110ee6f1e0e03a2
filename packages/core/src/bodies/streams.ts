import { isWebReadable } from '../http/body.ts';

/** A web stream over something else. */
export interface PullSource {
  /** The next part; `undefined` at the end. A rejection fails the stream. */
  pull(): Promise<Uint8Array | undefined>;
  /** The reader does not want the rest, or has dropped the stream. Must not hold the stream. */
  cancel(reason: unknown): void | PromiseLike<void>;
  /** A rejection fails the stream also if no one reads. */
  readonly closed?: Promise<unknown>;
}

type Controller = ReadableStreamDefaultController | ReadableByteStreamController;

/**
 * Cancels the source of a stream that was garbage-collected: its connection would stay open. Hazard: a failed source rejects, and
 * an unhandled rejection ends the process.
 */
const collected = /* @__PURE__ */ new FinalizationRegistry((cancel: PullSource['cancel']) => {
  Promise.resolve(cancel(undefined)).catch(() => undefined);
});

/** True if a stream can be read into buffers of its reader. */
export function isByteStream(stream: ReadableStream): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** A stream of bytes transfers the buffer of each part, which must not be shared with other parts, as in a pool. */
function ownBuffer(part: Uint8Array): Uint8Array<ArrayBuffer> {
  const isWhole = part.byteLength === part.buffer.byteLength;
  return (isWhole ? part : part.slice()) as Uint8Array<ArrayBuffer>;
}

/** Closes a stream, and the pending read of a reader with a buffer of its own, which settles only when that is given back. */
function close(controller: Controller): void {
  controller.close();
  (controller as Partial<ReadableByteStreamController>).byobRequest?.respond(0);
}

/** A web stream over a source, of which nothing is read before it is asked for. */
export function streamOver(
  { pull, cancel, closed }: PullSource,
  isOfBytes: boolean,
): ReadableStream<Uint8Array> {
  const source = {
    start(controller: Controller): void {
      // It would hold the stream.
      const weak = new WeakRef(controller);
      closed?.catch((error: unknown) => weak.deref()?.error(error));
    },
    async pull(controller: Controller): Promise<void> {
      const part = await pull();
      if (part === undefined) close(controller);
      else controller.enqueue(isOfBytes ? ownBuffer(part) : (part as Uint8Array<ArrayBuffer>));
    },
    cancel,
  };
  const stream = isOfBytes
    ? new ReadableStream({ ...source, type: 'bytes' })
    : new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  collected.register(stream, cancel);
  return stream;
}

/** Receives the events of a watched stream. */
export interface StreamObserver {
  /** Something is read. An error of this function fails the stream. */
  taken(): void;
  /** The source has ended or failed. */
  ended(): void;
  /** The stream was cancelled; the connection is closed when `gone` settles. */
  cancelled(gone: Promise<unknown>): void;
}

/** A stream with an observer. */
export interface WatchedStream {
  readonly stream: ReadableStream;
  /** Locks the source. */
  lock(): void;
  /** Unlocks the source if readers of the stream have been released without a read. */
  release(): void;
  /** Locks the stream, because the source is read in another way. */
  shut(): void;
}

/**
 * A stream that reads another one and reports to an observer. It is a byte stream if the source is, so that chunks pass through
 * unchanged. It locks the source only when it is read itself.
 *
 * @param first the source at the time of the call
 * @param source returns the source when reading begins: `clone()` may have replaced it by then
 * @param length length of the body in bytes, if known: a reader that has all bytes may never read the end
 */
export function watchedStream(
  first: ReadableStream,
  source: () => unknown,
  length: number | undefined,
  observer: StreamObserver,
): WatchedStream {
  let bytes = 0;
  let controller: ReadableStreamDefaultController | ReadableByteStreamController;
  let reader: ReadableStreamDefaultReader | undefined;
  /** True once something was asked of the source. */
  let isRead = false;
  let isPulling = false;
  /** True once the source has closed; its last chunk may still be pending. */
  let isClosed = false;
  let isCancelled = false;

  const lock = (): ReadableStreamDefaultReader => {
    if (reader !== undefined) return reader;
    const locked = (source() as ReadableStream).getReader();
    reader = locked;
    // Also ends readers that wait on `closed` without reading.
    locked.closed.then(
      () => {
        if (isCancelled) return;
        // The part that is being read comes first.
        if (!isPulling) observer.ended();
        if (isClosed) return;
        isClosed = true;
        if (!isPulling) close(controller);
      },
      (error: unknown) => {
        // It was released, which is no error of the body.
        if (reader !== locked) return;
        observer.ended();
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
      isRead = true;
      try {
        const locked = lock();
        observer.taken();
        const result = await locked.read();
        if (isCancelled) return;
        bytes += result.value?.byteLength ?? 0;
        if (result.done || isClosed || bytes === length) observer.ended();
        if (!result.done) controller.enqueue(result.value);
        if (result.done || isClosed) {
          isClosed = true;
          close(controller);
        }
      } catch (error) {
        // The stream fails with it, and cannot be closed after that.
        isClosed = true;
        if (reader !== undefined) observer.ended();
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
      observer.cancelled(Promise.resolve(gone));
      await gone;
    },
  };
  const stream = isByteStream(first)
    ? new ReadableStream({ ...underlying, type: 'bytes' })
    : new ReadableStream(underlying, { highWaterMark: 0 });
  const native = stream.getReader;
  const getReader = function getReader(this: ReadableStream, ...options: []) {
    const own = native.apply(this, options);
    try {
      lock();
    } catch (error) {
      // The source is locked by another reader.
      isClosed = true;
      controller.error(error);
    }
    return own;
  };
  Object.defineProperty(stream, 'getReader', { value: getReader, configurable: true, writable: true });
  return {
    stream,
    lock() {
      try {
        lock();
      } catch {
        // The source is locked already, by a reader of another kind.
      }
    },
    release() {
      const idle = reader;
      if (idle === undefined || isRead || isCancelled || stream.locked) return;
      reader = undefined;
      idle.releaseLock();
    },
    shut: () => void (stream.locked || native.call(stream)),
  };
}
