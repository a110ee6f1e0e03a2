import { MOST_READ_AHEAD_BYTES } from '../http/ceilings.ts';

/** A `Uint8Array` over an `ArrayBuffer`, named in a way that TypeScript before 5.7 reads as well. */
type Part = ReturnType<Uint8Array['slice']>;
type Controller = ReadableStreamDefaultController<Part> | ReadableByteStreamController;

interface Source {
  readonly reader: ReadableStreamDefaultReader<Part>;
  readonly ended: () => void;
}

/** Cancels the source of a stream that was garbage collected before its end. */
const collected = /* @__PURE__ */ new FinalizationRegistry<Source>(cancel);

function cancel({ reader, ended }: Source): void {
  reader.cancel().catch(() => undefined);
  ended();
}

/**
 * Returns the same stream, read up to 64 KiB ahead. Calls `ended` when its last part has arrived (read or not),
 * when it fails, and when it is cancelled; may call it more than once.
 */
export function readAhead(stream: ReadableStream<Part>, ended: () => void): ReadableStream<Part> {
  const isByteStream = supportsByob(stream);
  const source: Source = { reader: stream.getReader(), ended };
  const pump = new Pump(source, isByteStream);
  const handlers = {
    start: (controller: Controller) => pump.start(controller),
    pull: (controller: Controller) => pump.pull(controller),
    cancel(reason: unknown) {
      ended();
      return source.reader.cancel(reason);
    },
  };
  const size = (part: Part | undefined): number => part?.byteLength ?? 0;
  const ahead = (
    isByteStream
      ? new ReadableStream({ ...handlers, type: 'bytes' }, { highWaterMark: MOST_READ_AHEAD_BYTES })
      : new ReadableStream<Part>(handlers, { highWaterMark: MOST_READ_AHEAD_BYTES, size })
  ) as ReadableStream<Part>;
  collected.register(ahead, source);
  return ahead;
}

/**
 * Moves parts from the source to the stream that the caller has, the target. It holds the target only while a
 * reader may be waiting for a part, that is, while the target's queue is empty. Otherwise the reference is weak, so
 * that a target that the caller dropped can be collected. A caller who keeps nothing but the promise of a read
 * needs the strong one: without it that promise would never settle.
 */
class Pump {
  readonly #source: Source;
  readonly #isByteStream: boolean;
  #target: WeakRef<Controller> | undefined;
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: keeps the target from being collected
  #held: Controller | undefined;
  #isPending = false;

  constructor(source: Source, isByteStream: boolean) {
    this.#source = source;
    this.#isByteStream = isByteStream;
  }

  start(controller: Controller): void {
    const target = new WeakRef(controller);
    const { reader, ended } = this.#source;
    this.#target = target;
    // Sees an end, or an error, that comes while no read is pending.
    reader.closed.then(ended, (error) => {
      ended();
      target.deref()?.error(error);
    });
  }

  pull(controller: Controller): void {
    this.#held = controller.desiredSize === MOST_READ_AHEAD_BYTES ? controller : undefined;
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
      if (controller === undefined) cancel(this.#source);
      else if (part.done) this.#close(controller);
      else controller.enqueue(this.#isByteStream ? ownBuffer(part.value) : part.value);
    } catch (error) {
      ended();
      this.#target?.deref()?.error(error);
    }
  }

  #close(controller: Controller): void {
    this.#source.ended();
    controller.close();
    // A pending BYOB read settles only when its buffer is given back.
    if ('byobRequest' in controller) controller.byobRequest?.respond(0);
  }
}

function supportsByob(stream: ReadableStream<Part>): boolean {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** A byte stream transfers the buffer of each part, which must not be shared with other parts, as in a pool. */
function ownBuffer(part: Part): Part {
  return part.byteLength === part.buffer.byteLength ? part : part.slice();
}
