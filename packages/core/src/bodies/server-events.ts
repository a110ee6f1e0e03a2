import type { ServerEvent } from '../http/inspected.ts';

/** The events of a stream as they come, without `ping`, which only keeps the connection open. */
export class ServerEvents {
  /** The line that has not ended yet, as it came: it is joined once, when it has ended. */
  #line: string[] = [];
  /** True after a carriage return: a line feed that follows is the rest of the same line end. */
  #afterReturn = false;
  #event = '';
  #data: string[] = [];
  readonly #longest: number;
  /** The length of what is kept of the event that has not ended. */
  #length = 0;

  /** @param longest the most of an event that is kept, in characters. A longer one is left out */
  constructor(longest: number = Number.POSITIVE_INFINITY) {
    this.#longest = longest;
  }

  /** Takes the next part of the stream, and returns the events that end in it. No character is looked at twice. */
  take(part: string): readonly ServerEvent[] {
    const events: ServerEvent[] = [];
    if (part === '') return events;
    let at = this.#afterReturn && part.startsWith('\n') ? 1 : 0;
    this.#afterReturn = part.endsWith('\r');
    const lineEnd = /\r\n|\n|\r/g;
    lineEnd.lastIndex = at;
    for (let end = lineEnd.exec(part); end !== null; end = lineEnd.exec(part)) {
      this.#keep(part, at, end.index);
      at = lineEnd.lastIndex;
      const line = this.#line.join('');
      this.#line = [];
      const event = this.#takeLine(line);
      if (event !== undefined) events.push(event);
    }
    if (at < part.length) this.#keep(part, at, part.length);
    return events;
  }

  #keep(part: string, from: number, to: number): void {
    this.#length += to - from;
    if (this.#length <= this.#longest) this.#line.push(part.slice(from, to));
    // A blank line ends an event, so what is left of one that is too long must not look like one.
    else if (to > from) this.#line = [':'];
  }

  /** Takes a line. A blank one ends an event. */
  #takeLine(line: string): ServerEvent | undefined {
    if (line === '') {
      const [event, data, length] = [this.#event, this.#data, this.#length];
      this.#event = '';
      this.#data = [];
      this.#length = 0;
      if (data.length === 0 || event === 'ping' || length > this.#longest) return undefined;
      return { event: event || 'message', data: data.join('\n') };
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#event = value;
    if (field === 'data') this.#data.push(value);
    // Comments may come for hours.
    else this.#length -= line.length;
    return undefined;
  }
}
