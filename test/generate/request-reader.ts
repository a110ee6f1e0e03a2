/** The head of a request. */
export interface Head {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Listener {
  head(head: Head): void;
  body(part: Buffer): void;
  end(): void;
  /** What arrived is no request. */
  wrong(text: string): void;
}

const EMPTY = Buffer.alloc(0);

function parseHead(text: string): Head | undefined {
  const [line = '', ...lines] = text.split('\r\n');
  const [, method, path] = /^([A-Z]+) (\S+) HTTP\/1\.1$/.exec(line) ?? [];
  if (method === undefined || path === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const each of lines) {
    const colon = each.indexOf(':');
    const name = each.slice(0, colon).toLowerCase();
    const value = each.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return { method, path, headers };
}

/** Reads requests of HTTP/1.1 from the bytes of a connection. */
export class RequestReader {
  readonly #listener: Listener;
  #bytes: Buffer = EMPTY;
  #state: 'head' | 'length' | 'chunk-size' | 'chunk' | 'trailer' | 'wrong' = 'head';
  #left = 0;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  feed(part: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? part : Buffer.concat([this.#bytes, part]);
    while (this.#step());
  }

  /** Returns true if it may go on. */
  #step(): boolean {
    switch (this.#state) {
      case 'head':
        return this.#head();
      case 'length':
        return this.#content('head');
      case 'chunk':
        return this.#content('chunk-size');
      case 'chunk-size':
        return this.#chunkSize();
      case 'trailer':
        return this.#trailer();
      default:
        return false;
    }
  }

  /** The text up to a mark, which is dropped; `undefined` if it is not there yet. */
  #until(mark: string): string | undefined {
    const at = this.#bytes.indexOf(mark);
    if (at < 0) return undefined;
    const text = this.#bytes.toString('latin1', 0, at);
    this.#bytes = this.#bytes.subarray(at + mark.length);
    return text;
  }

  #head(): boolean {
    const text = this.#until('\r\n\r\n');
    if (text === undefined) return false;
    const head = parseHead(text);
    if (head === undefined) return this.#wrong(text);
    this.#listener.head(head);
    const { 'content-length': length, 'transfer-encoding': coding } = head.headers;
    if (coding !== undefined) this.#state = 'chunk-size';
    else {
      this.#left = Number(length ?? 0);
      this.#state = 'length';
    }
    return true;
  }

  #content(next: 'head' | 'chunk-size'): boolean {
    const part = this.#bytes.subarray(0, this.#left);
    if (part.length > 0) this.#listener.body(part);
    this.#bytes = this.#bytes.subarray(part.length);
    this.#left -= part.length;
    if (this.#left > 0) return false;
    if (next === 'chunk-size') {
      if (this.#bytes.length < 2) return false;
      this.#bytes = this.#bytes.subarray(2);
    }
    this.#state = next;
    if (next === 'head') this.#listener.end();
    return this.#bytes.length > 0;
  }

  #chunkSize(): boolean {
    const text = this.#until('\r\n');
    if (text === undefined) return false;
    this.#left = Number.parseInt(text, 16);
    if (!(this.#left >= 0)) return this.#wrong(text);
    this.#state = this.#left === 0 ? 'trailer' : 'chunk';
    return true;
  }

  #trailer(): boolean {
    if (this.#until('\r\n') === undefined) return false;
    this.#state = 'head';
    this.#listener.end();
    return this.#bytes.length > 0;
  }

  #wrong(text: string): boolean {
    this.#state = 'wrong';
    this.#listener.wrong(text);
    return false;
  }
}
