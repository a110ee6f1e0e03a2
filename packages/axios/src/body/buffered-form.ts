import { property } from '@ebb/core/adapter';
import type { InternalAxiosRequestConfig } from 'axios';

/** A form of the `form-data` package, which axios also makes of objects: a stream that can be read once. */
interface Form {
  getHeaders(): Record<string, string>;
  getBoundary(): string;
  hasKnownLength(): boolean;
  getLengthSync(): number;
  /** The unread parts: text, bytes, streams, and functions that pass on the text between parts. */
  readonly _streams?: unknown;
}

function isForm(data: unknown): data is Form {
  if (typeof data !== 'object' || data === null) return false;
  const methods = ['pipe', 'getHeaders', 'getBoundary', 'hasKnownLength', 'getLengthSync'];
  return methods.every((name) => typeof property(data, name) === 'function');
}

/** A form whose parts are all in memory, as bytes that can be sent more than once. */
export class BufferedForm {
  readonly #form: Form;
  readonly #bytes: Blob;

  private constructor(form: Form, bytes: Blob) {
    this.#form = form;
    this.#bytes = bytes;
  }

  /** Returns `undefined` if `data` is not such a form, or contains a stream. */
  static of(data: unknown): BufferedForm | undefined {
    const bytes = isForm(data) ? bytesOf(data) : undefined;
    return bytes && new BufferedForm(data as Form, bytes);
  }

  /** Sets the headers that axios would set for the form, and returns its bytes. */
  next(config: InternalAxiosRequestConfig): Promise<ArrayBuffer> {
    for (const [name, value] of Object.entries(this.#form.getHeaders())) {
      const isContent = /^content-(type|length)$/i.test(name);
      if (isContent || config.formDataHeaderPolicy !== 'content-only') config.headers.set(name, value);
    }
    return this.#bytes.arrayBuffer();
  }
}

/**
 * The form's bytes, read without consuming it. The package's own `getBuffer` differs from the stream for a part
 * with a custom header, and copies the whole buffer once per part. `_streams` is private, so the result counts only
 * if its length is the one that the form reports.
 */
function bytesOf(form: Form): Blob | undefined {
  const parts = form._streams;
  if (!Array.isArray(parts) || !form.hasKnownLength()) return undefined;
  const pieces: BlobPart[] = [];
  for (const part of parts) {
    if (typeof part === 'function') part((text: string) => pieces.push(text));
    else pieces.push(part);
  }
  if (!pieces.every((piece) => typeof piece === 'string' || piece instanceof Uint8Array)) return undefined;
  const bytes = new Blob([...pieces, `--${form.getBoundary()}--\r\n`]);
  return bytes.size === form.getLengthSync() ? bytes : undefined;
}
