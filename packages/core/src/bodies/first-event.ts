import type { ServerEvent } from '../http/inspected.ts';

/** Finds the first event of a stream that is not a `ping`, which only keeps the connection open. */
export class FirstEvent {
  /** The line that has not ended yet, as it came: it is joined once, when it has ended. */
  #line: string[] = [];
  /** True after a carriage return: a line feed that follows is the rest of the same line end. */
  #afterReturn = false;
  #event = '';
  #data: string[] = [];

  /** Takes the next part of the stream, and returns the event once it has ended. No character is looked at twice. */
  take(part: string): ServerEvent | undefined {
    if (part === '') return undefined;
    let at = this.#afterReturn && part.startsWith('\n') ? 1 : 0;
    this.#afterReturn = part.endsWith('\r');
    const lineEnd = /\r\n|\n|\r/g;
    lineEnd.lastIndex = at;
    for (let end = lineEnd.exec(part); end !== null; end = lineEnd.exec(part)) {
      this.#line.push(part.slice(at, end.index));
      at = lineEnd.lastIndex;
      const line = this.#line.join('');
      this.#line = [];
      const event = this.#takeLine(line);
      if (event !== undefined) return event;
    }
    if (at < part.length) this.#line.push(part.slice(at));
    return undefined;
  }

  /** Takes a line. A blank one ends an event. */
  #takeLine(line: string): ServerEvent | undefined {
    if (line === '') {
      const [event, data] = [this.#event, this.#data];
      this.#event = '';
      this.#data = [];
      if (data.length === 0 || event === 'ping') return undefined;
      return { event: event || 'message', data: data.join('\n') };
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    return undefined;
  }
}
