import { MOST_DISCARDED_BYTES } from '@ebb/core/adapter';
import { nodeStream, webStream } from './restored-stream.ts';
import { isNodeReadable, isWebReadable, type NodeReadable } from './stream.ts';

const NOT_KEPT = `The body of this response was discarded for a retry, which was then not sent: it was longer than ${MOST_DISCARDED_BYTES / 1024} KiB, or did not end in time`;

/** A response body that is read before a retry, to free its connection, and can be restored if there is no retry. */
export class RestorableBody {
  readonly isStream: boolean;
  isBrokenOff = false;
  readonly #data: unknown;
  /** The parts read so far; `undefined` if they are not kept. */
  #parts: unknown[] | undefined;
  #bytes = 0;
  #breakOff: () => void = () => undefined;
  #error: unknown;

  /** @param keeps whether to keep the body, so that {@link restored} returns it whole */
  constructor(data: unknown, keeps: boolean) {
    this.#data = data;
    this.isStream = isNodeReadable(data) || (isWebReadable(data) && !data.locked);
    this.#parts = keeps ? [] : undefined;
    if (isNodeReadable(data)) {
      // Never removed: a stream that is destroyed in the middle may emit an error later.
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

  /** Reads the body to its end, or until it is broken off. Never rejects. */
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
    // Not awaited: cancelling one branch of a tee waits for the other branch.
    this.#breakOff = () => void reader.cancel().catch(() => undefined);
    if (this.isBrokenOff) return this.#breakOff();
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) this.#take(part.value);
    } catch (error) {
      this.#error ??= error;
    }
  }

  /** A stream of the same kind and content. If the body was not kept, reading it fails with the reason. */
  restored(): unknown {
    const error = this.#error;
    const parts = this.#parts ?? [];
    return isNodeReadable(this.#data)
      ? nodeStream(parts, error, this.#data.readableObjectMode === true)
      : webStream(parts, error);
  }
}
