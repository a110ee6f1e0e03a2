import { closeUpload, HookError, isSingleUse, property } from '@ebb/core/adapter';
import type { AxiosRequestTransformer, InternalAxiosRequestConfig } from 'axios';

/**
 * Makes the body of one attempt, for example a newly opened stream. Pass the function as `data`; ebb calls the function for each attempt.
 * The function may return anything that axios accepts as `data`, or a promise.
 *
 * The request fails with a HookError if the function throws, rejects, or returns the same stream twice.
 */
export type BodyFactory = () => unknown;

type Transforms = InternalAxiosRequestConfig['transformRequest'];

const DEFAULT_TYPE = 'application/x-www-form-urlencoded';

function over(): Error {
  return new Error('the attempt is over');
}

/**
 * The bodies that a {@link BodyFactory} makes. Each goes through `transformRequest` once, when it is made; the
 * factory itself never does.
 */
export class FactoryBody {
  readonly #transforms: Transforms;
  /** Whether the caller set a content type. If not, the header holds axios's guess for a function. */
  #isTyped = false;
  /** The body of the current attempt, before and after the transforms. */
  #made: unknown[] = [];
  #last: unknown;

  /** Replaces the transforms of the config, until {@link restoreTransforms}. */
  constructor(config: InternalAxiosRequestConfig) {
    this.#transforms = config.transformRequest;
    config.transformRequest = [this.#passFactory(this)];
  }

  /** Lets the factory through untouched. A later interceptor may have replaced it: any other body is transformed. */
  #passFactory(body: FactoryBody): AxiosRequestTransformer {
    return function passFactory(data, headers) {
      if (typeof data !== 'function') return transform(this, body.#transforms, data);
      body.#isTyped = headers.hasContentType();
      return data;
    };
  }

  restoreTransforms(config: InternalAxiosRequestConfig): void {
    if (this.#transforms === undefined) delete config.transformRequest;
    else config.transformRequest = this.#transforms;
  }

  /**
   * Makes the body of an attempt. A body that arrives after the end of its attempt is closed.
   *
   * @throws HookError if the factory throws or rejects, or returns the stream that it returned before
   */
  readonly next: NextBody = async (config, isOver) => {
    const data = await this.#call(config.data);
    if (isOver()) return closeUpload(data, over());
    this.#last = data;
    this.#made = [data];
    if (!this.#isTyped) config.headers.delete('content-type');
    const body = transform(config, this.#transforms, data);
    if (/^(post|put|patch)$/.test(config.method ?? '')) config.headers.setContentType(DEFAULT_TYPE, false);
    this.#made.push(body);
    return body;
  };

  async #call(factory: BodyFactory): Promise<unknown> {
    try {
      const data = await factory();
      if (isSingleUse(data) && data === this.#last) throw new TypeError('it returned the same stream twice');
      return data;
    } catch (cause) {
      throw new HookError('data', cause);
    }
  }

  /** Whether the current attempt has a stream, which may not have been read to its end. */
  get isOpen(): boolean {
    return this.#made.some(isSingleUse);
  }

  /** Closes the body of an attempt that is over. */
  release(): void {
    for (const body of this.#made.splice(0)) closeUpload(body, over());
  }
}

/** As axios applies them. */
function transform(config: InternalAxiosRequestConfig, transforms: Transforms, data: unknown): unknown {
  return [transforms ?? []]
    .flat()
    .reduce((body: unknown, each) => each.call(config, body, config.headers), data);
}

/** A form of the `form-data` package, which axios also makes of objects: a stream that can be read once. */
interface Form {
  getHeaders(): Record<string, string>;
  getBoundary(): string;
  hasKnownLength(): boolean;
  getLengthSync(): number;
  /** The unread parts: text, bytes, streams, and functions that pass on the text between parts. */
  readonly _streams?: unknown;
}

const FORM_METHODS = ['pipe', 'getHeaders', 'getBoundary', 'hasKnownLength', 'getLengthSync'];

function isForm(data: unknown): data is Form {
  return FORM_METHODS.every((name) => typeof property(data, name) === 'function');
}

/** Makes the body of an attempt, and sets its headers. */
export type NextBody = (config: InternalAxiosRequestConfig, isOver: () => boolean) => Promise<unknown>;

/**
 * For a form whose parts are all in memory, which can be sent more than once, with the headers that axios would set for it;
 * `undefined` for anything else.
 */
export function formBody(data: unknown): NextBody | undefined {
  const bytes = isForm(data) ? bytesOf(data) : undefined;
  if (bytes === undefined) return undefined;
  return ({ headers, formDataHeaderPolicy }) => {
    for (const [name, value] of Object.entries((data as Form).getHeaders())) {
      const isContent = /^content-(type|length)$/i.test(name);
      if (isContent || formDataHeaderPolicy !== 'content-only') headers.set(name, value);
    }
    return bytes.arrayBuffer();
  };
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
