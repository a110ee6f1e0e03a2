import { bytesOf } from '../../http/body.ts';
import type { ServerEvent } from '../../http/inspected.ts';
import type { BodyWatcher } from '../../http/peek.ts';

/** Both lengths and their checksum. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;

/** The bytes of a header value by its type; of the missing ones, bytes and text, it says itself. */
const VALUE_BYTES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** The event type among the headers of a message, which begin after the prelude; `message` without one. */
function typeOf(message: Uint8Array, end: number): string {
  const view = viewOf(message);
  const decode = (from: number, length: number): string =>
    new TextDecoder().decode(message.subarray(from, from + length));
  for (let at = PRELUDE_BYTES; at < end; ) {
    const nameBytes = view.getUint8(at);
    const name = decode(at + 1, nameBytes);
    at += nameBytes + 2;
    let length = VALUE_BYTES[view.getUint8(at - 1)];
    if (length === undefined) {
      length = view.getUint16(at);
      at += 2;
    }
    if (name === ':event-type') return decode(at, length);
    at += length;
  }
  return 'message';
}

/**
 * Reads the messages of an event stream of AWS that passes by, whose data is their payload. No more than one is kept, and one
 * that is too long is left out. Source: "Event stream encoding", Amazon Transcribe developer guide.
 */
export class MessageReader implements BodyWatcher {
  readonly #longest: number;
  readonly #onEvent: (event: ServerEvent) => void;
  /** The message, and until that is known the four bytes of its length. */
  #message = new Uint8Array(4);
  #length = 0;
  /** The bytes that are left of a message that is too long; infinite after bytes that are no message. */
  #skipped = 0;

  /**
   * @param longest the most of a message that is kept, in bytes
   * @param onEvent must not throw
   */
  constructor(longest: number, onEvent: (event: ServerEvent) => void) {
    this.#longest = longest;
    this.#onEvent = onEvent;
  }

  part(part: Uint8Array | string): void {
    for (let rest = bytesOf(part); rest.length > 0; ) {
      const room = this.#skipped || this.#message.length - this.#length;
      const next = rest.subarray(0, room);
      rest = rest.subarray(next.length);
      if (this.#skipped > 0) {
        this.#skipped -= next.length;
        continue;
      }
      this.#message.set(next, this.#length);
      this.#length += next.length;
      if (next.length === room) this.#grow();
    }
  }

  /** All of the length has come, or of the message. */
  #grow(): void {
    const message = this.#message;
    const total = viewOf(message).getUint32(0);
    if (message.length > 4) {
      this.#take(message);
      this.#message = new Uint8Array(4);
    } else if (total <= PRELUDE_BYTES) {
      this.#skipped = Number.POSITIVE_INFINITY;
    } else if (total > this.#longest) {
      this.#skipped = total - 4;
    } else {
      this.#message = new Uint8Array(total);
      this.#message.set(message);
      return;
    }
    this.#length = 0;
  }

  #take(message: Uint8Array): void {
    try {
      const end = PRELUDE_BYTES + viewOf(message).getUint32(4);
      const data = new TextDecoder().decode(message.subarray(end, -CHECKSUM_BYTES));
      this.#onEvent({ event: typeOf(message, end), data });
    } catch {
      // Headers that say more than there is.
      this.#skipped = Number.POSITIVE_INFINITY;
    }
  }
}
