import { MOST_READ_AHEAD_BYTES } from '../http/ceilings.ts';
import { close, isByteStream, ownBuffer } from './stream-over.ts';

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
  const isOfBytes = isByteStream(stream);
  const source: Source = { reader: stream.getReader(), ended };
  const pump = new Pump(source, isOfBytes);
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
    isOfBytes
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
  readonly #isOfBytes: boolean;
  #target: WeakRef<Controller> | undefined;
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: keeps the target from being collected
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
      else controller.enqueue(this.#isOfBytes ? ownBuffer(part.value) : part.value);
    } catch (error) {
      ended();
      this.#target?.deref()?.error(error);
    }
  }

  #close(controller: Controller): void {
    this.#source.ended();
    close(controller);
  }
}
