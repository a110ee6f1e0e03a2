/** How much of a body is read ahead of its reader, so that its end is seen if it is short. */
const MOST_AHEAD_BYTES = 64 * 1024;

type Part = Uint8Array<ArrayBuffer>;
type Controller = ReadableStreamDefaultController<Part> | ReadableByteStreamController;

interface Source {
  readonly reader: ReadableStreamDefaultReader<Part>;
  readonly ended: () => void;
}

/** A body that was dropped before its end: no one will read the rest. */
const dropped = new FinalizationRegistry<Source>(giveUp);

function giveUp({ reader, ended }: Source): void {
  reader.cancel().catch(() => undefined);
  ended();
}

/**
 * The same stream, which calls `ended` when the last of it has arrived, read or not, when it fails, and
 * when it is cancelled. Reads ahead within bounds.
 */
export function readAhead(stream: ReadableStream<Part>, ended: () => void): ReadableStream<Part> {
  const isOfBytes = takesByob(stream);
  const source: Source = { reader: stream.getReader(), ended };
  const reading = new Reading(source, isOfBytes);
  const handlers = {
    start: (controller: Controller) => reading.start(controller),
    pull: (controller: Controller) => reading.pull(controller),
    cancel(reason: unknown) {
      ended();
      return source.reader.cancel(reason);
    },
  };
  const size = (part: Part | undefined): number => part?.byteLength ?? 0;
  const ahead = (
    isOfBytes
      ? new ReadableStream({ ...handlers, type: 'bytes' }, { highWaterMark: MOST_AHEAD_BYTES })
      : new ReadableStream<Part>(handlers, { highWaterMark: MOST_AHEAD_BYTES, size })
  ) as ReadableStream<Part>;
  dropped.register(ahead, source);
  return ahead;
}

/**
 * The reading of the stream below. It holds the stream above only while someone may wait for a part: with a part
 * in its queue no one does, and then it may be collected. Without that hold a caller who has nothing but the
 * promise of a part would wait for ever.
 */
class Reading {
  readonly #source: Source;
  readonly #isOfBytes: boolean;
  #target: WeakRef<Controller> | undefined;
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: it is there to be held
  #held: Controller | undefined;
  #isPending = false;

  constructor(source: Source, isOfBytes: boolean) {
    this.#source = source;
    this.#isOfBytes = isOfBytes;
  }

  start(controller: Controller): void {
    const target = new WeakRef(controller);
    const { reader, ended } = this.#source;
    this.#target = target;
    // What ends while nothing is asked for, an error above all.
    reader.closed.then(ended, (error) => {
      ended();
      target.deref()?.error(error);
    });
  }

  pull(controller: Controller): void {
    this.#held = controller.desiredSize === MOST_AHEAD_BYTES ? controller : undefined;
    if (!this.#isPending) void this.#read();
  }

  async #read(): Promise<void> {
    const { reader, ended } = this.#source;
    this.#isPending = true;
    try {
      const part = await reader.read();
      this.#isPending = false;
      const controller = this.#target?.deref();
      this.#held = undefined;
      if (controller === undefined) giveUp(this.#source);
      else if (part.done) this.#close(controller);
      else controller.enqueue(this.#isOfBytes ? unshared(part.value) : part.value);
    } catch (error) {
      ended();
      this.#target?.deref()?.error(error);
    }
  }

  #close(controller: Controller): void {
    this.#source.ended();
    controller.close();
    // A reader that brought a buffer of its own waits for it to be given back.
    if ('byobRequest' in controller) controller.byobRequest?.respond(0);
  }
}

/** Whether a reader may bring a buffer of its own. */
function takesByob(stream: ReadableStream<Part>): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** A stream of bytes takes the memory of its parts away, which must not be that of others. */
function unshared(part: Part): Part {
  return part.byteLength === part.buffer.byteLength ? part : part.slice();
}
