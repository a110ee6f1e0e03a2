import type { ServerEvent } from './inspect.ts';

const LINE = /([^\r\n]*)(\r\n|\n|\r)/y;

/** Finds the first event of a stream that is not a `ping`, which only keeps the connection open. */
export class FirstEvent {
  /** Where the line begins that has not ended yet. */
  #at = 0;
  #event = '';
  #data: string[] = [];

  /**
   * Reads on, and returns the event once it has ended.
   *
   * @param text the stream from its start, which must not change from call to call
   * @param isWhole true if nothing follows: a carriage return at the end is then not half of a line end
   */
  in(text: string, isWhole: boolean): ServerEvent | undefined {
    LINE.lastIndex = this.#at;
    for (let line = LINE.exec(text); line !== null; line = LINE.exec(text)) {
      const [, content = '', end] = line;
      const { lastIndex } = LINE;
      if (end === '\r' && lastIndex === text.length && !isWhole) return undefined;
      const event = this.#take(content);
      if (event !== undefined) return event;
      this.#at = lastIndex;
      LINE.lastIndex = lastIndex;
    }
    return undefined;
  }

  /** Takes a line. A blank one ends an event. */
  #take(line: string): ServerEvent | undefined {
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
