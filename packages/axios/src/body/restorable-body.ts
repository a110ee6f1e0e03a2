import { MOST_DISCARDED_BYTES } from '@ebb/core/adapter';
import { isNodeReadable, isWebReadable, type NodeReadable } from './stream.ts';

const NOT_KEPT = `This body was let go of for a retry that was not sent after all: it did not come within ${MOST_DISCARDED_BYTES / 1024} KiB, or not in time`;

interface NodeStreams {
  readonly Readable: {
    new (options: { read(this: { destroy(error: unknown): void }): void }): unknown;
    from(parts: Iterable<unknown>, options: { objectMode: boolean }): unknown;
  };
}

interface NodeLike {
  readonly process?: { getBuiltinModule?(id: 'node:stream'): NodeStreams | undefined };
}

/** A streamed body that is read although its caller may never see it, and that can be given back after that. */
export class KeptBody {
  readonly isStream: boolean;
  isBrokenOff = false;
  readonly #data: unknown;
  /** What has come, if it is to be kept. */
  #parts: unknown[] | undefined;
  #bytes = 0;
  #breakOff: () => void = () => undefined;
  #error: unknown;

  /** @param keeps whether it may have to be given back */
  constructor(data: unknown, keeps: boolean) {
    this.#data = data;
    this.isStream = isNodeReadable(data) || (isWebReadable(data) && !data.locked);
    this.#parts = keeps ? [] : undefined;
    if (isNodeReadable(data)) {
      // Stays: what is destroyed in the middle may still tell of it.
      data.on('error', (error) => {
        this.#error ??= error;
      });
      this.#breakOff = () => void data.destroy();
    }
  }

  breakOff(): void {
    if (this.isBrokenOff) return;
    this.isBrokenOff = true;
    this.#parts = undefined;
    this.#error ??= new Error(NOT_KEPT);
    this.#breakOff();
  }

  /** Reads it to its end, or until it is broken off. Never rejects. */
  async read(): Promise<void> {
    if (isNodeReadable(this.#data)) await this.#readNode(this.#data);
    else if (isWebReadable(this.#data)) await this.#readWeb(this.#data);
  }

  #take(part: { readonly byteLength?: number; readonly length?: number }): void {
    this.#bytes += part.byteLength ?? part.length ?? 0;
    if (this.#bytes > MOST_DISCARDED_BYTES) this.breakOff();
    else this.#parts?.push(part);
  }

  async #readNode(stream: NodeReadable): Promise<void> {
    if (!this.isBrokenOff && !stream.destroyed && !stream.readableEnded) {
      await new Promise<void>((resolve) => {
        stream.on('end', resolve);
        stream.on('close', resolve);
        stream.on('data', (part) => this.#take(part));
      });
    }
    if (!stream.readableEnded) this.#error ??= new Error(NOT_KEPT);
  }

  async #readWeb(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    if (stream.locked) return;
    const reader = stream.getReader();
    // Not awaited: to cancel one of two branches of a stream waits for the other.
    this.#breakOff = () => void reader.cancel().catch(() => undefined);
    if (this.isBrokenOff) return this.#breakOff();
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) this.#take(part.value);
    } catch (error) {
      this.#error ??= error;
    }
  }

  /** A stream of the same body, or one that fails when it is read, and says why. */
  restored(): unknown {
    const error = this.#error;
    const parts = this.#parts ?? [];
    return isNodeReadable(this.#data)
      ? nodeStream(parts, error, this.#data.readableObjectMode === true)
      : webStream(parts, error);
  }
}

function nodeStream(parts: unknown[], error: unknown, objectMode: boolean): unknown {
  const { Readable } = (globalThis as NodeLike).process?.getBuiltinModule?.('node:stream') ?? {};
  if (Readable === undefined) return webStream(parts, error);
  if (error === undefined) return Readable.from(parts, { objectMode });
  return new Readable({
    read() {
      this.destroy(error);
    },
  });
}

function webStream(parts: unknown[], error: unknown): ReadableStream<unknown> {
  let next = 0;
  return new ReadableStream<unknown>(
    {
      pull(controller) {
        if (error !== undefined) controller.error(error);
        else if (next < parts.length) controller.enqueue(parts[next++]);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
