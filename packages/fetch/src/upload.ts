import {
  bufferBytes,
  closeUpload,
  type FollowUpload,
  HookError,
  isNodeReadable,
  isSingleUse,
  isWebReadable,
  MOST_KEPT_BYTES,
  takeUpload,
} from '@ebb/core/adapter';
import type { BodyFactory, EbbRequestInit, InitChanges } from './request.ts';

/** A body that a factory made for one attempt. */
interface MadeBody {
  readonly body: BodyInit;
  /** True if its source, such as a file, may still be open. */
  isOpen(): boolean;
  close(): void;
}

/** A body is kept up to this many chunks: they queue up if the source is faster than the upload. */
const MOST_KEPT_CHUNKS = 4096;

/** The body of a call, from its first attempt to its end. */
export class Upload {
  readonly #body: EbbRequestInit['body'];
  /** The `Request` whose body it is, if the init has none. */
  readonly #request: Request | undefined;
  readonly #bytes: number | undefined;
  /** There if the body may fail before it is sent. */
  readonly follow: FollowUpload | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;
  /** The copy of the `Request`'s body, once it is complete. */
  #kept: Blob | undefined;
  #made: MadeBody | undefined;
  /** True once the body that was made has been sent. */
  #isTaken = false;

  constructor(body: EbbRequestInit['body'], request: Request | undefined) {
    this.#body = body;
    this.#request = request;
    this.#bytes = bufferBytes(body);
    this.follow = takeUpload(body);
  }

  /**
   * Copies the body of a `Request` for a retry, while it is sent. A `Request` does not reveal whether its body is a string or an
   * endless stream, so the copy is bounded: past the bound it is dropped, and the upload goes on without it.
   */
  async keep(): Promise<void> {
    const request = this.#request;
    if (!request || request.bodyUsed) return;
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    try {
      this.#reader = (request.clone().body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        bytes += value.byteLength;
        if (bytes > MOST_KEPT_BYTES || chunks.push(value) > MOST_KEPT_CHUNKS) return this.stopKeeping();
      }
      this.#kept = new Blob(chunks);
    } catch {
      // The upload fails with the same error.
    }
  }

  /** Ends the copying: there is no further attempt. Without this, cancelling the upload would not cancel its source. */
  stopKeeping(): void {
    this.#reader?.cancel().catch(() => undefined);
  }

  /** True if the next attempt can send the same body. */
  get replayable(): boolean {
    if (this.#request) return this.#kept !== undefined;
    return !isSingleUse(this.#body) && bufferBytes(this.#body) === this.#bytes;
  }

  /** True if the caller has given a function that makes the body. */
  get isMade(): boolean {
    return typeof this.#body === 'function';
  }

  /**
   * Takes the body to send in place of the caller's: the body from the factory, or the copy of a `Request`'s body, once the copy is
   * complete.
   */
  takeBody(): InitChanges | undefined {
    const body = this.#made?.body;
    if (body === undefined) return this.#kept && { body: this.#kept };
    this.#isTaken = true;
    return isSingleUse(body) ? { body, duplex: 'half' } : { body };
  }

  /**
   * Makes the body of an attempt with the caller's factory.
   *
   * @param state `over` is true once the attempt has ended
   * @throws HookError if the factory throws
   */
  async make(state: { readonly over: boolean }): Promise<void> {
    let body: BodyInit;
    try {
      body = await (this.#body as BodyFactory)();
    } catch (cause) {
      throw new HookError('body', cause);
    }
    // The attempt has ended meanwhile: no one waits for its body.
    if (state.over) return closeUpload(body);
    this.#made = isWebReadable(body) && !body.locked ? closableBody(body) : plainBody(body);
    this.#isTaken = false;
  }

  /** True if a body that was made for the attempt, and is sent, may still be open. */
  get isOpen(): boolean {
    return this.#isTaken && this.#made?.isOpen() === true;
  }

  /** Closes the body that was made for the attempt. */
  endAttempt(): void {
    this.#made?.close();
    this.#made = undefined;
  }

  /** Closes the source of a body that is not sent. The body of a `Request` belongs to its caller. */
  cancel(reason: unknown): void {
    closeUpload(this.#body, reason);
  }
}

function plainBody(body: BodyInit): MadeBody {
  return {
    body,
    isOpen: () => (isNodeReadable(body) ? !body.destroyed && !body.readableEnded : isSingleUse(body)),
    close: () => closeUpload(body),
  };
}

/**
 * Reads a web stream through another one. The base fetch locks the outer stream; the source can still be cancelled. Not by a pipe with
 * a signal: in Node 22 its end breaks the response, and in Node 26 an upload that never began keeps the source open.
 */
function closableBody(source: ReadableStream<Uint8Array>): MadeBody {
  const reader = source.getReader();
  let isOpen = true;
  const cancel = (reason?: unknown): Promise<void> => {
    isOpen = false;
    return reader.cancel(reason);
  };
  const body = new ReadableStream(
    {
      async pull(controller) {
        const part = await reader.read();
        if (!part.done) return controller.enqueue(part.value);
        isOpen = false;
        controller.close();
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
  return { body, isOpen: () => isOpen, close: () => void cancel().catch(() => undefined) };
}
