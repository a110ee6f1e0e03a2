/** A web stream over something else. */
export interface PullSource {
  /** The next part; `undefined` at the end. The stream fails with what it rejects with. */
  pull(): Promise<Uint8Array | undefined>;
  /** The reader does not want the rest, or has dropped the stream. Must not hold the stream. */
  cancel(reason: unknown): void | PromiseLike<void>;
  /** What it rejects with fails the stream also if no one reads. */
  readonly closed?: Promise<unknown>;
}

type Controller = ReadableStreamDefaultController | ReadableByteStreamController;

/**
 * Cancels the source of a stream that was garbage-collected: its connection would stay open. Hazard: a source that has failed
 * rejects, and a rejection that no one handles ends the process.
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
export function close(controller: Controller): void {
  controller.close();
  if ('byobRequest' in controller) controller.byobRequest?.respond(0);
}

/** A web stream over a source, of which nothing is read before it is asked for. */
export function streamOver(
  { pull, cancel, closed }: PullSource,
  isOfBytes: boolean,
): ReadableStream<Uint8Array> {
  const source = {
    start(controller: Controller): void {
      // It would hold the stream.
      const weak = closed && new WeakRef(controller);
      closed?.catch((error: unknown) => weak?.deref()?.error(error));
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
