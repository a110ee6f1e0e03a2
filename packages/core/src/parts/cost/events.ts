import { FirstEvent } from '../../bodies/look.ts';
import { bytesOf } from '../../http/body.ts';
import type { ServerEvent } from '../../http/inspected.ts';
import type { BodyWatcher } from '../../http/peek.ts';

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
