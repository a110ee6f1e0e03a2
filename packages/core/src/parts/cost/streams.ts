import { FirstEvent } from '../../bodies/look.ts';
import { type BodyWatcher, bytesOf } from '../../http/body.ts';
import type { ServerEvent } from '../../http/outcome.ts';

/** A blank line, which ends an event, with the end of the line before it. */
const BLANK = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)/;

/** Each line with its end, and what has no end yet. */
const LINES = /[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+/g;

/** Where the last blank line has begun; -1 if there is none. A return and a line feed are one end of a line. */
function lastBlank(text: string): number {
  return Math.max(...['\n\n', '\n\r', '\r\r'].map((ends) => text.lastIndexOf(ends)));
}

/** Reads the events of a stream that passes by. No more than one is kept. */
export class EventReader implements BodyWatcher {
  readonly #decoder = new TextDecoder();
  readonly #longest: number;
  readonly #onEvent: (event: ServerEvent) => void;
  #events = new FirstEvent();
  /** The end of what has come, in which a blank line may have begun. */
  #tail = '';
  /** How long the event is that has not ended. */
  #length = 0;
  /** True until an event has ended that is too long. */
  #isSkipping = false;

  /**
   * @param longest the most of an event that is kept, in characters. A longer one is left out
   * @param onEvent must not throw
   */
  constructor(longest: number, onEvent: (event: ServerEvent) => void) {
    this.#longest = longest;
    this.#onEvent = onEvent;
  }

  part(part: Uint8Array | string): void {
    const text = typeof part === 'string' ? part : this.#decoder.decode(bytesOf(part), { stream: true });
    const joined = this.#tail + text;
    const rest = this.#isSkipping ? this.#skip(joined, text) : text;
    this.#tail = joined.slice(-3);
    if (rest === undefined) return;
    this.#take(rest);
    const blank = lastBlank(joined);
    this.#length = blank < 0 ? this.#length + text.length : joined.length - blank;
    this.#isSkipping = this.#length > this.#longest;
    if (this.#isSkipping) this.#events = new FirstEvent();
  }

  #take(text: string): void {
    for (const line of text.match(LINES) ?? []) {
      const event = this.#events.take(line);
      if (event !== undefined && event.data.length <= this.#longest) this.#onEvent(event);
    }
  }

  /** What follows the event that is too long; `undefined` if it has not ended. */
  #skip(joined: string, text: string): string | undefined {
    const end = BLANK.exec(joined);
    return end === null
      ? undefined
      : joined.slice(Math.max(end.index + end[0].length, joined.length - text.length));
  }
}

/** Reads lines of JSON that pass by, each as an event. A line that is too long is left out. */
export class LineReader implements BodyWatcher {
  readonly #decoder = new TextDecoder();
  readonly #longest: number;
  readonly #onEvent: (event: ServerEvent) => void;
  /** The line that has not ended, in the parts in which it came. */
  #line: string[] = [];
  #length = 0;

  constructor(longest: number, onEvent: (event: ServerEvent) => void) {
    this.#longest = longest;
    this.#onEvent = onEvent;
  }

  part(part: Uint8Array | string): void {
    const text = typeof part === 'string' ? part : this.#decoder.decode(bytesOf(part), { stream: true });
    const [first = '', ...lines] = text.split('\n');
    this.#keep(first);
    for (const line of lines) {
      this.end();
      this.#keep(line);
    }
  }

  #keep(text: string): void {
    this.#length += text.length;
    if (this.#length <= this.#longest) this.#line.push(text);
  }

  /** The line ends, the last one with the body. */
  end(): void {
    const data = this.#line.join('').trim();
    if (data !== '' && this.#length <= this.#longest) this.#onEvent({ event: 'message', data });
    this.#line = [];
    this.#length = 0;
  }
}

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
