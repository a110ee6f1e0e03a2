import { Readable } from 'node:stream';
import { MOST_KEPT_BYTES } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { headerPairs, type RequestHeaders } from '../headers.ts';
import { BodyFactoryCalls } from './body-factory.ts';
import { Recording, SentOnce } from './iterable-body.ts';
import type { DispatchChanges, RequestBody } from './request-body.ts';

/** Where `fetch` puts the body for a MockAgent that lets the request through; the same object as `body` otherwise. */
const FETCH_BODY = '__mockAgentBodyForDispatch';

/** A body in memory. A buffer that was transferred to a worker since the first attempt has length 0. */
class Bytes implements RequestBody {
  readonly #body: ArrayBufferView | ArrayBuffer;
  readonly #byteLength: number;

  constructor(body: ArrayBufferView | ArrayBuffer) {
    this.#body = body;
    this.#byteLength = body.byteLength;
  }

  get replayable(): boolean {
    return this.#body.byteLength === this.#byteLength;
  }

  take(): DispatchChanges {
    return { body: this.#body };
  }
}

/** A stream. It is sent again only if it is unread (after a refused connection, say) or was empty. */
class Stream implements RequestBody {
  readonly #body: Readable;
  #isAbandoned = false;

  constructor(body: Readable) {
    this.#body = body;
  }

  get replayable(): boolean {
    const { readableDidRead } = this.#body;
    // Streams that are not Node's own (that of the form-data package, say) do not report whether they were read.
    const reportsReads = typeof readableDidRead === 'boolean' || this.#body instanceof ReadableStream;
    return this.#wasEmpty || (reportsReads && !this.#isAbandoned && !Readable.isDisturbed(this.#body));
  }

  /** `undici.pipeline` gives every request a stream, even if there is nothing to send. */
  get #wasEmpty(): boolean {
    return this.#body.readableEnded && !this.#body.readableDidRead;
  }

  take(): DispatchChanges {
    return { body: this.#wasEmpty ? null : this.#body };
  }

  abandoned(): void {
    this.#isAbandoned = true;
  }

  unsent(reason: unknown): void {
    const body: Readable | ReadableStream = this.#body;
    if (!(body instanceof ReadableStream)) body.destroy();
    else if (!body.locked) body.cancel(reason).catch(() => undefined);
  }
}

/**
 * True for the generator that `fetch` makes of a body of known, small length: a string, buffer, blob or form, never a
 * stream. The generator is all that a dispatcher gets, and it can be read only once, so its chunks are recorded.
 */
function isRecordable(headers: RequestHeaders): boolean {
  let length = Number.NaN;
  let isFetch = false;
  for (const [name, value] of headerPairs(headers)) {
    if (name === 'content-length') length = Number(value);
    else if (name === 'sec-fetch-mode') isFetch = true;
  }
  return isFetch && length <= MOST_KEPT_BYTES;
}

function tagOf(body: object): string {
  return Object.prototype.toString.call(body).slice(8, -1);
}

/** @param names the options that hold the body */
function iterableBody(body: object, headers: RequestHeaders, ...names: readonly string[]): RequestBody {
  return tagOf(body) === 'AsyncGenerator' && isRecordable(headers)
    ? new Recording(body as AsyncGenerator<Uint8Array>, names)
    : new SentOnce(body as AsyncIterable<unknown>, names);
}

/** The body of a request; `undefined` if the options can be dispatched again as they are, or undici refuses the body. */
export function bodyOf(options: Dispatcher.DispatchOptions): RequestBody | undefined {
  const { headers } = options;
  const body: unknown = options.body;
  const fetchBody = (options as { readonly [FETCH_BODY]?: object | null })[FETCH_BODY];
  if (fetchBody) {
    return iterableBody(fetchBody, headers, FETCH_BODY, ...(fetchBody === body ? ['body'] : []));
  }
  if (typeof body === 'function') return new BodyFactoryCalls(body as () => unknown);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) return new Bytes(body);
  if ('pipe' in body || 'getReader' in body) return new Stream(body as Readable);
  // A FormData is iterable as well, but undici reads it anew for each dispatch.
  if (tagOf(body) === 'FormData' || !(Symbol.asyncIterator in body || Symbol.iterator in body)) {
    return undefined;
  }
  return iterableBody(body, headers, 'body');
}
