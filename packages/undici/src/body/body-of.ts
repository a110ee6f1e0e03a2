import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Changes } from '../changes.ts';
import { headerPairs, type RequestHeaders } from '../headers.ts';
import { BodyFactoryCalls } from './body-factory.ts';
import { Recording, SentOnce } from './iterable-body.ts';

/** The body of a request that cannot simply be handed over again. */
export interface RequestBody {
  /** Whether the next attempt would send the same bytes as the first was meant to. */
  readonly replayable: boolean;
  /** What the next attempt sends. */
  take(): Changes | Promise<Changes>;
  /** The attempt that took this is over, and came to nothing. */
  letGo?(taken: Changes): void;
  /** An attempt was given up that undici still keeps in a queue: in its turn undici lets go of the body. */
  lost?(): void;
  /** The request is over, and came to nothing. */
  close?(): void;
  /** The request ended while it waited, so that undici does not let go of the body. */
  unsent?(reason: unknown): void;
}

/** A body of `fetch` up to this size is kept for a retry: what gRPC keeps for a call. */
const MOST_KEPT_BYTES = 1024 * 1024;

/** Where fetch puts what a MockAgent passes on to the network; the same as the body, when none is in use. */
const FETCH_BODY = '__mockAgentBodyForDispatch';

/** A body in memory. When its buffer was moved to another thread in the meantime, it has no bytes any more. */
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

  take(): Changes {
    return { body: this.#body };
  }
}

/** A stream goes again only while nobody has read of it (after a refused connection, say), or if it was empty. */
class Stream implements RequestBody {
  readonly #body: Readable;
  #isLost = false;

  constructor(body: Readable) {
    this.#body = body;
  }

  get replayable(): boolean {
    const { readableDidRead } = this.#body;
    // A stream of another make (that of the form-data package is one) tells nothing of it.
    const tells = typeof readableDidRead === 'boolean' || this.#body instanceof ReadableStream;
    return this.#wasEmpty || (tells && !this.#isLost && !Readable.isDisturbed(this.#body));
  }

  /** `undici.pipeline` gives every request a stream, even where there is nothing to send. */
  get #wasEmpty(): boolean {
    return this.#body.readableEnded && !this.#body.readableDidRead;
  }

  take(): Changes {
    return { body: this.#wasEmpty ? null : this.#body };
  }

  lost(): void {
    this.#isLost = true;
  }

  unsent(reason: unknown): void {
    const body: Readable | ReadableStream = this.#body;
    if (!(body instanceof ReadableStream)) body.destroy();
    else if (!body.locked) body.cancel(reason).catch(() => undefined);
  }
}

/**
 * Whether `fetch` made a generator out of a body whose length it knows: a string, a buffer, a blob or a form,
 * and no stream. The generator reads the body as it is sent, so there is nothing else to send again.
 */
function isKept(headers: RequestHeaders): boolean {
  let length = Number.NaN;
  let isFetch = false;
  for (const [name, value] of headerPairs(headers)) {
    if (name === 'content-length') length = Number(value);
    else if (name === 'sec-fetch-mode') isFetch = true;
  }
  return isFetch && length <= MOST_KEPT_BYTES;
}

function kindOf(body: object): string {
  return Object.prototype.toString.call(body).slice(8, -1);
}

function iterated(body: object, headers: RequestHeaders, ...names: readonly string[]): RequestBody {
  return kindOf(body) === 'AsyncGenerator' && isKept(headers)
    ? new Recording(body as AsyncGenerator<Uint8Array>, names)
    : new SentOnce(body as AsyncIterable<unknown>, names);
}

/** Nothing for a body that can be handed over as often as one likes, and for what undici will not take. */
export function requestBody(options: Dispatcher.DispatchOptions): RequestBody | undefined {
  const { headers } = options;
  const body: unknown = options.body;
  const ofFetch = (options as { readonly [FETCH_BODY]?: object | null })[FETCH_BODY];
  if (ofFetch) return iterated(ofFetch, headers, FETCH_BODY, ...(ofFetch === body ? ['body'] : []));
  if (typeof body === 'function') return new BodyFactoryCalls(body as () => unknown);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) return new Bytes(body);
  if ('pipe' in body || 'getReader' in body) return new Stream(body as Readable);
  // A form is iterable, too, but undici reads it anew each time.
  if (kindOf(body) === 'FormData' || !(Symbol.asyncIterator in body || Symbol.iterator in body))
    return undefined;
  return iterated(body, headers, 'body');
}
