import type { InternalAxiosRequestConfig } from 'axios';

/** A form of the `form-data` package, which axios makes of objects, too: a stream that can be read once. */
interface Form {
  getHeaders(): Record<string, string>;
  getBoundary(): string;
  hasKnownLength(): boolean;
  getLengthSync(): number;
  /** The parts that are still to be read: text, bytes, streams, and functions that give the text between. */
  readonly _streams?: unknown;
}

function isForm(data: unknown): data is Form {
  if (typeof data !== 'object' || data === null) return false;
  const methods = ['pipe', 'getHeaders', 'getBoundary', 'hasKnownLength', 'getLengthSync'];
  return methods.every((name) => typeof (data as Record<string, unknown>)[name] === 'function');
}

/** A form whose parts are all in memory, put together so that it can be sent more than once. */
export class FormBody {
  readonly #form: Form;
  readonly #bytes: ArrayBuffer;

  private constructor(form: Form, bytes: ArrayBuffer) {
    this.#form = form;
    this.#bytes = bytes;
  }

  /** Nothing for anything else, and for a form with a stream in it. */
  static of(data: unknown): FormBody | undefined {
    const bytes = isForm(data) ? bytesOf(data) : undefined;
    return bytes === undefined ? undefined : new FormBody(data as Form, bytes);
  }

  next(config: InternalAxiosRequestConfig): ArrayBuffer {
    for (const [name, value] of Object.entries(this.#form.getHeaders())) {
      const isContent = /^content-(type|length)$/i.test(name);
      if (isContent || config.formDataHeaderPolicy !== 'content-only') config.headers.set(name, value);
    }
    return this.#bytes;
  }

  get isOpen(): boolean {
    return false;
  }

  release(): void {}
}

/**
 * The form's bytes, read without using it up. `form-data` has `getBuffer` for that, but it differs from the
 * stream where a part brings its own header, and copies all that it has for each part. What is private in here
 * is held against the length that the form itself tells.
 */
function bytesOf(form: Form): ArrayBuffer | undefined {
  const parts = form._streams;
  if (!Array.isArray(parts) || !form.hasKnownLength()) return undefined;
  const text = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let isInMemory = true;
  const take = (part: unknown): void => {
    if (typeof part === 'string') pieces.push(text.encode(part));
    else if (part instanceof Uint8Array) pieces.push(part);
    else isInMemory = false;
  };
  for (const part of parts) {
    if (typeof part === 'function') part(take);
    else take(part);
  }
  if (!isInMemory) return undefined;
  take(`--${form.getBoundary()}--\r\n`);
  const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  if (length !== form.getLengthSync()) return undefined;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes.buffer;
}
